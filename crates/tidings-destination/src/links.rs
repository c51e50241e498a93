//! Links as they are kept in the state: as records have them.

use tidings_document::Link;
use tidings_source::LinkFields;
use url::Url;

/// The links as text; none if there are none.
pub(crate) fn to_text(links: &[Link<'_>]) -> Option<String> {
    if links.is_empty() {
        return None;
    }
    let kept: Vec<LinkFields> = links.iter().map(LinkFields::of_link).collect();
    serde_json::to_string(&kept).ok()
}

/// The links of such a text.
pub(crate) fn of_text(text: &str) -> Vec<Link<'static>> {
    let kept: Vec<LinkFields> = serde_json::from_str(text).unwrap_or_default();
    kept.into_iter().filter_map(|link| link.link().ok()).collect()
}

/// The link to the representation of a preferred media type, if the resource itself is not of that type.
pub(crate) fn preferred<'l, 'd>(
    links: &'l [Link<'d>],
    own_type: Option<&str>,
    prefer: &str,
) -> Option<&'l Link<'d>> {
    let is = |media_type: &str| {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case(prefer)
    };
    if own_type.is_some_and(is) {
        return None;
    }
    let of_type = |link: &&Link<'_>| link.media_type.as_deref().is_some_and(is);
    links.iter().filter(|link| link.is("alternate") || link.is("canonical")).find(of_type)
}

/// A link that stands for itself: what it leads to does not depend on its document any more.
pub(crate) fn resolved(link: &Link<'_>, base: &Url) -> Option<Link<'static>> {
    let mut link = link.clone().into_owned();
    link.href = base.join(link.href.trim()).ok()?.to_string().into();
    Some(link)
}
