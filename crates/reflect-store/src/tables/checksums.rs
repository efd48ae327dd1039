//! Checksums of what must come back as it was written.

/// The CRC-32 of these values one after the other. An absent one differs from an empty one.
pub(crate) fn checksum<'a>(values: impl IntoIterator<Item = Option<&'a [u8]>>) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    for value in values {
        match value {
            Some(bytes) => {
                hasher.update(&bytes.len().to_le_bytes());
                hasher.update(bytes);
            }
            None => hasher.update(&u64::MAX.to_le_bytes()),
        }
    }
    hasher.finalize().into()
}

/// The checksum of one text or vector.
pub(crate) fn checksum_of(bytes: impl AsRef<[u8]>) -> i64 {
    checksum([Some(bytes.as_ref())])
}
