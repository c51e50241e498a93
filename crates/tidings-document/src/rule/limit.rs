//! Our own limits, which keep a hostile document from costing much.

use super::rules;

rules! {
    DEPTH = Error "LIMIT-depth", "limit of this reader", "Elements are not nested deeper than the limit, 32; the standard needs 4.", "Remove the nesting.";
    ATTRIBUTES = Error "LIMIT-attributes", "limit of this reader", "A start tag has no more attributes than the limit, 64.", "Remove the attributes.";
    TOKEN = Error "LIMIT-token", "limit of this reader", "A tag, text, comment or CDATA section is no longer than the limit, 64 KiB.", "Shorten it.";
    ENTRY = Error "LIMIT-entry", "limit of this reader", "One entry, or other element of the document, is no longer than the limit, 1 MiB.", "Shorten it.";
    HEAD = Error "LIMIT-head", "limit of this reader", "What stands before the first entry is no longer than the limit, 1 MiB.", "Remove links or elements of the document that nobody needs.";
    ENTRIES = Error "LIMIT-entries", "limit of this reader", "A document has no more entries than the limit, twice that of the Sitemap protocol.", "Split the document and group its parts in an index, or raise the limit (--max-entries).";
    BYTES = Error "LIMIT-bytes", "limit of this reader", "A document is no longer than the limit, twice that of the Sitemap protocol.", "Split the document and group its parts in an index, or raise the limit (--max-bytes).";
    INFLATION = Error "LIMIT-inflation", "limit of this reader", "A compressed document does not expand more than 200 to 1.", "Publish it uncompressed.";
}
