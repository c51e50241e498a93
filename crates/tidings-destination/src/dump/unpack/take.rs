//! One resource, out of a package and into a file.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender};

use tidings_bytes::StagingArea;

use super::Unpacked;
use crate::bytes::Measure;
use crate::fetch::{Failure, How, Landed};
use crate::package::{Member, Package};
use crate::state::Validator;
use crate::wanted::Wanted;

/// One thread: takes resources out of the package.
pub(super) fn work(
    package: &Package,
    queue: &Mutex<Receiver<Vec<(Wanted, Member)>>>,
    results: &Sender<Vec<Unpacked>>,
    mut temporary: StagingArea,
) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let batch = match queue.lock() {
            Ok(queue) => queue.recv(),
            Err(_) => return,
        };
        let Ok(batch) = batch else { return };
        let unpacked = batch.into_iter().map(|(wanted, member)| {
            let landed = take(package, &member, &wanted, &mut temporary, &mut buffer);
            (wanted, landed)
        });
        if results.send(unpacked.collect()).is_err() {
            return;
        }
    }
}

fn take(
    package: &Package,
    member: &Member,
    wanted: &Wanted,
    temporary: &mut StagingArea,
    buffer: &mut [u8],
) -> Result<Landed, Failure> {
    use std::io::{Read as _, Write as _};
    let failure = |reason: String| Failure::new(reason);
    let io = |error: std::io::Error| {
        // What is wrong with the package says so itself; the rest is this machine.
        let is_disk = error.kind() == std::io::ErrorKind::StorageFull;
        Failure { is_disk, ..failure(error.to_string()) }
    };
    let mut measure = Measure::for_expected(&wanted.expected);
    let mut reader = package.read(member);
    let (draft, mut file) = temporary.create().map_err(io)?;
    let copied = (|| loop {
        let count = reader.read(buffer)?;
        if count == 0 {
            return Ok(());
        }
        measure.update(&buffer[..count]);
        file.write_all(&buffer[..count])?;
    })();
    let result = copied.map_err(io).and_then(|()| {
        let measured = measure.finish();
        match wanted.expected.mismatch(&measured) {
            Some(reason) => Err(failure(reason)),
            None => Ok((measured, StagingArea::finish(&file, wanted.lastmod).map_err(io)?)),
        }
    });
    match result {
        Ok((measured, stamp)) => Ok(Landed {
            file: draft,
            measured,
            stamp,
            validator: Validator::default(),
            media_type: wanted.media_type.clone(),
            how: How::Package,
        }),
        Err(failure) => {
            draft.discard();
            Err(failure)
        }
    }
}
