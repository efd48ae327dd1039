//! Where traces, reviews, memories and jobs are kept: SQLite behind one writer thread.
