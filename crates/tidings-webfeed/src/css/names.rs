//! Which at-rules, properties and functions there are for us.

/// The at-rules that are let through. Others load something, or reach beyond the sheet.
pub(super) fn at_rule(name: &str) -> Option<&'static str> {
    const RULES: [&str; 6] =
        ["media", "supports", "keyframes", "-webkit-keyframes", "layer", "container"];
    RULES.into_iter().find(|rule| name.eq_ignore_ascii_case(rule))
}

/// Properties that ran something in some browser, or load something without a function.
pub(super) fn is_dropped(property: &str) -> bool {
    const DROPPED: [&str; 5] = ["behavior", "-ms-behavior", "-moz-binding", "src", "-o-link"];
    DROPPED.iter().any(|name| property.eq_ignore_ascii_case(name))
}

/// Properties that take long to draw, or that make something move.
pub(super) fn is_effect(property: &str) -> bool {
    let lower = property.to_ascii_lowercase();
    let bare = ["-webkit-", "-moz-", "-o-", "-ms-"].iter().find_map(|it| lower.strip_prefix(it));
    let bare = bare.unwrap_or(&lower);
    matches!(
        bare,
        "filter" | "backdrop-filter" | "will-change" | "mix-blend-mode" | "box-reflect" | "zoom"
    ) || ["animation", "transition", "offset", "scroll-timeline", "view-timeline", "mask"]
        .iter()
        .any(|begin| bare.starts_with(begin))
}

/// Where an element may be put; what is fixed to the window would be so on each screen.
pub(super) fn position(value: &str) -> Option<&'static str> {
    const POSITIONS: [(&str, &str); 11] = [
        ("static", "static"),
        ("relative", "relative"),
        ("absolute", "absolute"),
        ("fixed", "absolute"),
        ("sticky", "relative"),
        ("-webkit-sticky", "relative"),
        ("inherit", "inherit"),
        ("initial", "initial"),
        ("unset", "unset"),
        ("revert", "revert"),
        ("revert-layer", "revert-layer"),
    ];
    let known = POSITIONS.iter().find(|(name, _)| value.eq_ignore_ascii_case(name));
    known.map(|(_, instead)| *instead)
}

/// Functions that neither load, run nor draw what is elsewhere. Those of selectors and queries are among
/// them. Not here: `image-set()` and others that take strings for addresses, `attr()` (but see where it
/// is written), `element()`, `paint()`, `expression()`, and whatever will come.
pub(super) fn is_function(name: &str) -> bool {
    let mut lower = [0; 32];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let is_known = |list: &[&str]| list.iter().any(|known| known.as_bytes() == &*lower);
    is_known(&COLOURS)
        || is_known(&NUMBERS)
        || is_known(&SHAPES)
        || is_known(&SELECTORS)
        || is_known(&OTHERS)
}

const NUMBERS: [&str; 24] = [
    "var",
    "calc",
    "min",
    "max",
    "clamp",
    "env",
    "round",
    "mod",
    "rem",
    "abs",
    "sign",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "pow",
    "sqrt",
    "hypot",
    "log",
    "exp",
    "calc-size",
];

const COLOURS: [&str; 25] = [
    "rgb",
    "rgba",
    "hsl",
    "hsla",
    "hwb",
    "lab",
    "lch",
    "oklab",
    "oklch",
    "color",
    "color-mix",
    "light-dark",
    "linear-gradient",
    "radial-gradient",
    "conic-gradient",
    "repeating-linear-gradient",
    "repeating-radial-gradient",
    "repeating-conic-gradient",
    "-webkit-linear-gradient",
    "-webkit-radial-gradient",
    "-moz-linear-gradient",
    "-moz-radial-gradient",
    "-o-linear-gradient",
    "-webkit-gradient",
    "color-stop",
];

const SHAPES: [&str; 39] = [
    "translate",
    "translatex",
    "translatey",
    "translatez",
    "translate3d",
    "scale",
    "scalex",
    "scaley",
    "scalez",
    "scale3d",
    "rotate",
    "rotatex",
    "rotatey",
    "rotatez",
    "rotate3d",
    "skew",
    "skewx",
    "skewy",
    "matrix",
    "matrix3d",
    "perspective",
    "circle",
    "ellipse",
    "inset",
    "polygon",
    "path",
    "rect",
    "xywh",
    "blur",
    "brightness",
    "contrast",
    "drop-shadow",
    "grayscale",
    "hue-rotate",
    "invert",
    "opacity",
    "saturate",
    "sepia",
    "ray",
];

const SELECTORS: [&str; 12] = [
    "is",
    "where",
    "not",
    "has",
    "nth-child",
    "nth-last-child",
    "nth-of-type",
    "nth-last-of-type",
    "lang",
    "dir",
    "-webkit-any",
    "-moz-any",
];

const OTHERS: [&str; 13] = [
    "cubic-bezier",
    "steps",
    "linear",
    "repeat",
    "minmax",
    "fit-content",
    "counter",
    "counters",
    "scroll",
    "view",
    "selector",
    "style",
    "scroll-state",
];
