//! The files in a package, held against its manifest.

use std::fs::File;
use std::io::{Read as _, Seek as _};

use anyhow::Result;
use tidings_destination::{Mismatch, Package, PackageLimits};
use tidings_document::{
    BitstreamFault, Change, CheckRequest, Digest, Metadata, ReadOptions, Reader, SourceCheck,
};
use tidings_source::Function;

/// Checks a package: that it is the one that its dump tells of, its manifest, and the file of each
/// entry. Violations go to the check; an error is one of reading the file here.
pub(super) fn check(
    check: &mut SourceCheck,
    request: &CheckRequest,
    file: File,
    options: &ReadOptions,
) -> Result<()> {
    let other = difference(&file, &request.context.listed)?;
    let checked = check_files(check, request, file, options);
    if let Some(reason) = other {
        check.other_package(request, &reason);
    }
    checked
}

/// How a package contradicts what its dump tells of it.
fn difference(mut file: &File, told: &Metadata<'_>) -> Result<Option<String>> {
    let found = file.metadata()?.len();
    if let Some(told) = told.length.filter(|told| *told != found) {
        return Ok(Some(format!("it has {found} bytes, and the dump tells {told}")));
    }
    let digests: Vec<Digest> = told.hash.iter().flat_map(|hash| hash.digests().flatten()).collect();
    let mut functions: Vec<Function> =
        digests.iter().map(|digest| Function::new(digest.algorithm())).collect();
    file.rewind()?;
    let mut buffer = vec![0; 64 << 10];
    while !functions.is_empty() {
        match file.read(&mut buffer)? {
            0 => break,
            count => functions.iter_mut().for_each(|function| function.update(&buffer[..count])),
        }
    }
    let found = functions.into_iter().map(Function::finish);
    let wrong = digests.iter().zip(found).find(|(told, found)| Some(*told) != found.as_ref());
    Ok(wrong
        .map(|(told, _)| format!("it has another {} than the dump tells", told.algorithm().name())))
}

fn check_files(
    check: &mut SourceCheck,
    request: &CheckRequest,
    file: File,
    options: &ReadOptions,
) -> Result<()> {
    let limits = PackageLimits { manifest_bytes: options.limits.bytes, ..PackageLimits::default() };
    let opened = Package::open(file, &limits).and_then(|package| {
        let manifest = package.manifest()?;
        Ok((package, manifest))
    });
    let (package, manifest) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            check.unusable(request, &format!("{:#}", anyhow::Error::from(error)));
            return Ok(());
        }
    };
    check.package(request, manifest.as_slice())?;
    let mut reader = Reader::with_options(manifest.as_slice(), options.clone());
    let mut number = 0;
    // Where the manifest cannot be read on, the check has said so.
    while let Ok(Some(entry)) = reader.next_entry() {
        number += 1;
        let Some(path) = entry.metadata.path.as_deref() else { continue };
        if entry.metadata.change == Some(Change::Deleted) {
            continue;
        }
        let fault = match package.member(path) {
            None => Some((BitstreamFault::Missing, "is not in the package".to_owned())),
            Some(member) => match package.verify(&member, &entry.metadata) {
                Ok(mismatch) => mismatch.map(contradiction),
                Err(error) => Some((BitstreamFault::Damaged, error.to_string())),
            },
        };
        if let Some((fault, reason)) = fault {
            check.bitstream(request, number, fault, &format!("{path} of {}: {reason}", entry.loc));
        }
    }
    Ok(())
}

fn contradiction(mismatch: Mismatch) -> (BitstreamFault, String) {
    match mismatch {
        Mismatch::Length { told, found } => {
            (BitstreamFault::Length, format!("has {found} bytes, and the manifest tells {told}"))
        }
        Mismatch::Digest(algorithm) => {
            let name = algorithm.name();
            (BitstreamFault::Digest, format!("has another {name} than the manifest tells"))
        }
    }
}
