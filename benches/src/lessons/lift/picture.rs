//! The pass rates as a picture: a line for each arm, with its 95 % intervals behind it.

use super::{super::statistics::Share, windows::Window};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 736.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 352.0;

/// The line of one arm.
struct Line<'a> {
    name: &'a str,
    colour: &'a str,
    /// Where its name stands.
    name_at: f64,
    points: Vec<Point>,
}

/// A window of one arm, in pixels.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    rate: f64,
    low: f64,
    high: f64,
}

/// Draws both lines. An arm without runs in a window has no point there.
pub(super) fn svg(windows: &[Window]) -> String {
    let line = |name, colour, name_at, share: fn(&Window) -> Share| Line {
        name,
        colour,
        name_at,
        points: windows
            .iter()
            .filter(|window| share(window).of > 0)
            .map(|window| point(windows, window, share(window)))
            .collect(),
    };
    let with = line("with memories", "#2563eb", LEFT, |window| window.with);
    let without = line("without (held out at random)", "#c2410c", LEFT + 150.0, |window| window.without);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#374151\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#ffffff\"/>\n{}{}{}{}</svg>\n",
        axis_of_rates(),
        axis_of_runs(windows),
        drawn(&without),
        drawn(&with),
    )
}

fn point(windows: &[Window], window: &Window, share: Share) -> Point {
    let (low, high) = share.interval();
    let middle = (window.first + window.last) as f64 / 2.0;
    Point { x: across(windows, middle), rate: height(share.percent()), low: height(low), high: height(high) }
}

/// Where a run is, from left to right.
fn across(windows: &[Window], run: f64) -> f64 {
    let last = windows.last().map_or(1, |window| window.last) as f64;
    LEFT + (RIGHT - LEFT) * run / last
}

/// Where so many percent are.
fn height(percent: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * percent / 100.0
}

fn axis_of_rates() -> String {
    let lines = [0, 20, 40, 60, 80, 100].map(|percent| {
        let y = height(f64::from(percent));
        format!(
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#e5e7eb\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>\n",
            LEFT - 8.0,
            y + 4.0
        )
    });
    lines.concat()
}

fn axis_of_runs(windows: &[Window]) -> String {
    let ends = windows.iter().map(|window| {
        let x = across(windows, window.last as f64);
        format!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", BOTTOM + 20.0, window.last)
    });
    let middle = (LEFT + RIGHT) / 2.0;
    let title = "runs so far; a point is the share of its window that passed, a band its 95 % interval";
    format!(
        "{}<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{title}</text>\n",
        ends.collect::<String>(),
        BOTTOM + 40.0
    )
}

fn drawn(line: &Line<'_>) -> String {
    let Line { name, colour, name_at, points } = line;
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    };
    let highs = points.iter().map(|point| (point.x, point.high));
    let lows = points.iter().rev().map(|point| (point.x, point.low));
    let band = path(&mut highs.chain(lows));
    let rates = path(&mut points.iter().map(|point| (point.x, point.rate)));
    let dots: String = points
        .iter()
        .map(|point| format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"/>", point.x, point.rate))
        .collect();
    format!(
        "<g fill=\"{colour}\"><text x=\"{name_at}\" y=\"32\" font-weight=\"600\">{name}</text>\
         <polygon points=\"{band}\" opacity=\"0.15\"/>\
         <polyline points=\"{rates}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>{dots}</g>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_point_for_each_window_with_runs_of_its_arm() {
        let window = |first: usize, with: usize, without: usize| Window {
            first,
            last: first + 9,
            with: Share { hits: with, of: 10 },
            without: Share { hits: 0, of: without },
            nothing_found: 0,
        };
        let picture = svg(&[window(1, 0, 0), window(11, 10, 4)]);
        assert_eq!(picture.matches("<circle").count(), 3);
        // All runs of the last window passed with memories: the top of the picture, at three quarters of its width.
        assert!(picture.contains("<polyline points=\"243.0,352.0 583.0,56.0\""), "{picture}");
        assert!(picture.contains("<polyline points=\"583.0,352.0\""), "{picture}");
    }
}
