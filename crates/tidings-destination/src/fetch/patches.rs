//! Patches: what is wanted, made of what the copy has (section 14.3). Whatever is wrong with that, it can
//! still be fetched whole.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use tidings_patch::{Format, MAX_INPUT};

use super::body::Body;
use super::candidates::{Candidate, patch};
use super::one::Fetcher;
use super::{How, Landed};
use crate::bytes::{Expected, Measured};
use crate::mapping::Uri;
use crate::state::Validator;
use crate::wanted::Wanted;

/// How large a result may be of which the Source does not say how long it is.
const MAX_UNSIZED_RESULT: u64 = 64 << 20;

/// One patch, and what comes of it.
struct Step<'w> {
    candidate: Candidate,
    format: Format,
    result: &'w Expected,
}

impl Fetcher {
    /// Applies the patches from the version that the copy has to the one that is wanted, one after the
    /// other, and verifies each result.
    pub(super) async fn patched(&self, wanted: &Wanted, cost: &mut u64) -> Option<Landed> {
        let steps = steps(wanted)?;
        let known = wanted.known.as_ref()?;
        let bytes: u64 = steps.iter().filter_map(|step| step.candidate.expected.length).sum();
        if known.length > MAX_INPUT as u64 || bytes > known.length {
            return None;
        }
        let mapped = || self.options.mapping.path(&Uri::known(&wanted.uri));
        let path = known.path.clone().unwrap_or_else(mapped);
        let mut content = Vec::new();
        let file = self.files.borrow_mut().open(&path).ok()?;
        file.take(MAX_INPUT as u64).read_to_end(&mut content).ok()?;
        for step in steps {
            let patch = self.patch_bytes(&step.candidate, cost).await?;
            let limit = step.result.length.unwrap_or(MAX_UNSIZED_RESULT);
            let limit = usize::try_from(limit).ok()?;
            let right =
                |new: &[u8]| step.result.mismatch(&Measured::of(new, step.result)).is_none();
            content = tidings_patch::apply(step.format, &content, &patch, limit, right).ok()?;
        }
        let mut temporary = self.temporary.borrow_mut();
        let mut body = Body::new(&wanted.expected, None);
        body.push(&content, &mut temporary).ok()?;
        let finished = body.finish(&wanted.expected, wanted.lastmod, &mut temporary).ok()?.ok()?;
        let media_type = wanted.media_type.clone();
        Some(Landed::new(finished, Validator::default(), media_type, How::Patch))
    }

    /// Fetches one patch, and undoes its compression.
    async fn patch_bytes(&self, candidate: &Candidate, cost: &mut u64) -> Option<Vec<u8>> {
        self.robots.check(&candidate.url).await.ok()?;
        let mut answer = self.client.open(&candidate.url, &self.options.get).await.ok()?;
        let encoding = answer.content_encoding().map(|encoding| encoding.to_ascii_lowercase());
        let mut bytes = Vec::new();
        while let Some(piece) = answer.chunk().await.ok()? {
            *cost += piece.len() as u64;
            bytes.extend_from_slice(&piece);
            if bytes.len() > MAX_INPUT {
                return None;
            }
        }
        let is_right = |bytes: &[u8]| {
            let measured = Measured::of(bytes, &candidate.expected);
            candidate.expected.mismatch(&measured).is_none()
        };
        match encoding.as_deref() {
            None | Some("identity") => is_right(&bytes).then_some(bytes),
            Some("gzip" | "x-gzip") => {
                let inflated = inflate(&bytes, MAX_INPUT)?;
                // The Source may speak of the patch, or of the file that it is compressed in.
                (is_right(&inflated) || is_right(&bytes)).then_some(inflated)
            }
            Some(_) => None,
        }
    }
}

/// The patches that lead to what is wanted: from the version that the copy has if that is known to be one
/// of those in between, else from the one before all of them.
fn steps(wanted: &Wanted) -> Option<Vec<Step<'_>>> {
    let known = wanted.known.as_ref()?;
    let base = wanted.earlier.iter().rposition(|change| change.expected.is_of(known));
    let between = &wanted.earlier[base.map_or(0, |base| base + 1)..];
    let mut steps = Vec::with_capacity(between.len() + 1);
    for (links, result) in between
        .iter()
        .map(|change| (&change.links, &change.expected))
        .chain([(&wanted.links, &wanted.expected)])
    {
        let (candidate, format) = patch(links, result)?;
        steps.push(Step { candidate, format, result });
    }
    Some(steps)
}

/// The inflated bytes, if they are not more than so many.
fn inflate(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut inflated = Vec::new();
    // One byte more says that there are more.
    let mut decoder = MultiGzDecoder::new(bytes).take(limit as u64 + 1);
    decoder.read_to_end(&mut inflated).ok()?;
    (inflated.len() <= limit).then_some(inflated)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_patch_is_inflated_up_to_its_limit() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&[0; 1000]).unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(inflate(&packed, 1000).unwrap(), [0; 1000]);
        assert!(inflate(&packed, 999).is_none());
        assert!(inflate(&packed[..20], 1000).is_none(), "it breaks off");
        assert!(inflate(b"no gzip", 1000).is_none());
    }
}
