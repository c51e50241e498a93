//! Names that mean something else.

use super::folded;

/// The folder of the copy's own state.
const STATE: &str = ".tidings";

/// True of the state's folder, however its letters are written, and of the short name that some
/// Windows file systems give it beside the long one.
pub(super) fn is_state(name: &str) -> bool {
    let is_short = name.as_bytes().get(..7).is_some_and(|b| b.eq_ignore_ascii_case(b"tiding~"));
    is_short || (name.starts_with('.') && folded(name) == STATE)
}

/// True of the devices of Windows, which are there in every folder, with every extension, and however
/// their letters are written.
/// <https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file>
pub(super) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    if !(3..=7).contains(&stem.len()) {
        return false;
    }
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
        .iter()
        .any(|d| stem.eq_ignore_ascii_case(d))
    {
        return true;
    }
    let (Some(port), Some(number)) = (stem.get(..3), stem.get(3..)) else { return false };
    let is_number = matches!(number.as_bytes(), [b'0'..=b'9']) || ["¹", "²", "³"].contains(&number);
    is_number && ["COM", "LPT"].iter().any(|device| port.eq_ignore_ascii_case(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known_in_every_dress() {
        for name in
            ["CON", "con", "Nul.txt", "aux.tar.gz", "COM1", "lpt9.x", "COM¹", "prn ", "prn .a"]
        {
            assert!(is_device(name), "{name}");
        }
        for name in ["CONE", "co", "COM", "COM10", "COMx", "icon", "a.con", "LPT¼", "日本"] {
            assert!(!is_device(name), "{name}");
        }
        for name in [".tidings", ".TIDINGS", ".Tidings", "TIDING~1", ".T\u{131}dings"] {
            assert!(is_state(name), "{name}");
        }
        for name in [".tiding", "tidings", ".tidings2", ".htaccess"] {
            assert!(!is_state(name), "{name}");
        }
    }
}
