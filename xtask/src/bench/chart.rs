//! Bar charts in SVG.

use std::fmt::Write as _;

/// One bar.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The value as it is to be read.
    pub(crate) shown: String,
    pub(crate) ours: bool,
}

/// How values become lengths.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Linear,
    /// For values that are powers of ten apart; the axis has a line at each power.
    Logarithmic,
}

const WIDTH: f64 = 760.0;
const LABELS: f64 = 240.0;
const VALUES: f64 = 90.0;
const ROW: f64 = 26.0;
const HEAD: f64 = 44.0;
const FOOT: f64 = 26.0;
const OURS: &str = "#b5462f";
const OTHERS: &str = "#8a94a6";

/// A chart of horizontal bars. Without bars it says so.
pub(crate) fn bars(title: &str, unit: &str, scale: Scale, bars: &[Bar]) -> String {
    let height = HEAD + ROW * bars.len().max(1) as f64 + FOOT;
    let bottom = height - FOOT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n",
        title = escaped(title)
    );
    let axis = Axis::of(scale, bars);
    for (value, name) in axis.lines() {
        let x = LABELS + axis.length(value);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {HEAD}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\" \
             font-size=\"11\">{name}</text>",
            bottom + 16.0
        );
    }
    if bars.is_empty() {
        let _ = writeln!(svg, "<text x=\"12\" y=\"{}\">not measured</text>", HEAD + 18.0);
    }
    for (row, bar) in bars.iter().enumerate() {
        let y = HEAD + ROW * row as f64;
        let length = axis.length(bar.value);
        let fill = if bar.ours { OURS } else { OTHERS };
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LABELS}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" \
             fill=\"{fill}\"/><text x=\"{:.1}\" y=\"{text:.1}\">{}</text>",
            LABELS - 8.0,
            escaped(&bar.label),
            y + 4.0,
            ROW - 8.0,
            LABELS + length + 6.0,
            escaped(&bar.shown),
            text = y + ROW / 2.0 + 4.5,
        );
    }
    let note = if scale == Scale::Logarithmic { ", logarithmic" } else { "" };
    let _ = writeln!(
        svg,
        "<text x=\"12\" y=\"{:.1}\" fill=\"#666\" font-size=\"11\">{}{note}</text>\n</svg>",
        bottom + 16.0,
        escaped(unit)
    );
    svg
}

struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(scale: Scale, bars: &[Bar]) -> Self {
        let values = || bars.iter().map(|bar| bar.value).filter(|value| *value > 0.0);
        let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
        match scale {
            _ if most == 0.0 => Self { scale: Scale::Linear, from: 0.0, to: 1.0 },
            Scale::Linear => Self { scale, from: 0.0, to: most },
            // A power below the least, so that its bar can be seen.
            Scale::Logarithmic => {
                Self { scale, from: 10f64.powf((least / 2.0).log10().floor()), to: most }
            }
        }
    }

    fn length(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => value / self.to,
            Scale::Logarithmic => (value / self.from).log10() / (self.to / self.from).log10(),
        };
        (WIDTH - LABELS - VALUES) * part.clamp(0.0, 1.0)
    }

    /// Where there are lines, and what is written at them.
    fn lines(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => vec![(0.0, "0".to_owned())],
            Scale::Logarithmic => {
                std::iter::successors(Some(self.from), |value| Some(value * 10.0))
                    .take_while(|value| *value <= self.to * 1.000_001)
                    .map(|value| (value, shown(value)))
                    .collect()
            }
        }
    }
}

/// A power of ten.
fn shown(value: f64) -> String {
    let decimals = (-value.log10().round()).max(0.0) as usize;
    format!("{value:.decimals$}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Bar, Scale, bars};

    fn bar(label: &str, value: f64) -> Bar {
        Bar { label: label.to_owned(), value, shown: value.to_string(), ours: false }
    }

    #[test]
    fn a_longer_bar_is_a_larger_value() {
        let svg = bars("a < b", "units", Scale::Linear, &[bar("one", 1.0), bar("two", 2.0)]);
        assert!(svg.contains("<title>a &lt; b</title>"), "{svg}");
        assert!(svg.contains("width=\"215.0\""), "{svg}");
        assert!(svg.contains("width=\"430.0\""), "{svg}");
    }

    #[test]
    fn powers_of_ten_are_marked() {
        let svg = bars("", "s", Scale::Logarithmic, &[bar("a", 0.05), bar("b", 5.0)]);
        for mark in [">0.01<", ">0.1<", ">1<", "s, logarithmic"] {
            assert!(svg.contains(mark), "{mark} in {svg}");
        }
    }

    #[test]
    fn nothing_measured_is_said() {
        assert!(bars("", "", Scale::Logarithmic, &[]).contains("not measured"));
    }
}
