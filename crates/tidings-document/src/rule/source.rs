//! A whole Source: documents that have to agree with each other.

use super::rules;

rules! {
    UNREACHABLE = Error "RS-6.2-unreachable", "ResourceSync, 6.2", "Every document that another one points to is there.", "Publish the document, or remove the link to it.";
    UP_WRONG = Error "RS-6.2-up-wrong", "ResourceSync, 6.2", "An up link leads to the document one level higher that lists this one.", "Point the link to that document.";
    INDEX_WRONG = Error "RS-6.2-index-wrong", "ResourceSync, 6.2", "An index link leads to the index that lists this document.", "Point the link to that index.";
    INDEX_MISSING = Note "RS-6.2-index-missing", "ResourceSync, 10 to 13", "A document that is listed in an index should link to it.", "Add <rs:ln rel=\"index\" href=\"…\"/>.";
    CAPABILITY_DIFFERS = Error "RS-6.2-capability-differs", "ResourceSync, 6.2", "A document is what the entry that points to it says.", "Correct the capability, or the link.";
    LOOP = Error "RS-6.2-loop", "ResourceSync, 6.1", "Documents form a tree: none lists itself, or a document above it.", "Remove the entry.";
    INDEX_NESTED = Error "RS-6.2-index-nested", "ResourceSync, 6.1; Sitemap protocol", "An index lists lists, not other indexes.", "List the lists themselves.";
    BUDGET = Warning "RS-6.2-budget", "limit of this program", "A Source has no more documents than are followed.", "Raise the limit to see the rest.";
    COVERAGE = Error "RS-9-coverage", "ResourceSync, 9", "The capabilities of one set cover the same resources.", "Publish the documents of one set from one snapshot.";
    AT_DIFFERS = Error "RS-10.2-at-differs", "ResourceSync, 7 and 10.2", "What an index says of a part's snapshot is what the part says.", "Write the index after its parts, with their times.";
    AT_LATE = Error "RS-10.2-at-late", "ResourceSync, 7 and 10.2", "An index promises that all is as of its at or later, so no part's at is earlier.", "Use the earliest at of the parts.";
    FROM_DIFFERS = Error "RS-12.2-from-differs", "ResourceSync, 12.2", "What an index says of a list's interval is what the list says.", "Write the index after its lists, with their times.";
    GAP = Error "RS-12.2-gap", "ResourceSync, 12.2", "Each Change List begins where the one before it ends, so that no change falls between them.", "Begin each list at the until of the one before.";
    UNTIL_DIFFERS = Error "RS-12.2-until-differs", "ResourceSync, 12.2", "A list is closed in the index where it is closed itself, and at the same time.", "Write the index after its lists, with their times.";
    CONTENTS = Error "RS-11.1-contents-differs", "ResourceSync, 11.1 and 13.1", "A contents link leads to a copy of the manifest that is in the package.", "Copy the manifest out of the package again.";
    PACKAGE_DIFFERS = Error "RS-11.1-package-differs", "ResourceSync, 7, 11.1 and 13.1", "A package has the length and the digests that its dump tells.", "Write the dump after its packages, with their lengths and digests.";
    BITSTREAM_MISSING = Error "RS-11.2-bitstream-missing", "ResourceSync, 11.2 and 13.2", "A package has a file for each path in its manifest.", "Put the file into the package, or remove the entry.";
    BITSTREAM_LENGTH = Error "RS-11.2-length-differs", "ResourceSync, 7, 11.2 and 13.2", "A file in a package has the length that its manifest tells.", "Build the package again, with the manifest of the files in it.";
    BITSTREAM_HASH = Error "RS-11.2-hash-differs", "ResourceSync, 7, 11.2 and 13.2", "A file in a package has the digests that its manifest tells.", "Build the package again, with the manifest of the files in it.";
    PACKAGE = Error "RS-11.2-package", "ResourceSync, 11.2 and 13.2", "A package is a ZIP file with a manifest.xml at its top level.", "Build the package again.";
}
