//! The documents of the Source, as they are needed.

use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tidings_document::{Capability, Entry, Form, Head, Limits, ReadError, ReadOptions, Reader};
use tidings_web::{
    Client, ClientOptions, DiscoveryPolicy, FetchError, Fetched, GetOptions, Source, Validators,
    charset, discover_with,
};
use tokio::runtime::Runtime;
use url::Url;

use crate::SyncError;

/// How much a document may be over the wire. Memory does not grow with it.
const MOST_BYTES: u64 = 16 << 30;

/// What brings documents, one after another.
pub(crate) struct Documents {
    runtime: Runtime,
    client: Client,
    pub(crate) get: GetOptions,
    pub(crate) bytes: u64,
    pub(crate) read: u64,
    /// The shortest time that a document took: about a round trip.
    round_trip: Option<Duration>,
    /// The number of requests of this run.
    meter: Arc<AtomicU64>,
}

/// A document that came whole.
pub(crate) struct Document {
    /// Where it came from, after redirects: the base of what it says.
    pub(crate) url: Url,
    pub(crate) validators: Validators,
    charset: Option<String>,
    body: Box<dyn ReadSeek + Send>,
    /// How many of its entries name nothing, as of the last time that it was read to its end: without a
    /// URI, or with one that is far too long.
    lost: u64,
}

/// Hashes what is written to it.
struct HashWriter(DefaultHasher);

impl std::io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) trait ReadSeek: BufRead + Seek {}

impl<T: BufRead + Seek> ReadSeek for T {}

/// What a document turned out to be when it was read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub(crate) head: Head<'static>,
    pub(crate) entries: u64,
    /// The sum of the lengths that its entries give.
    pub(crate) length: u64,
    /// True if its entries are documents of its own kind: an index that says that it is a list.
    pub(crate) lists_documents: bool,
}

impl Documents {
    pub(crate) fn new(options: &ClientOptions, get: GetOptions) -> Result<Self, SyncError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(SyncError::io("could not start", std::path::Path::new("the runtime")))?;
        let options = ClientOptions { max_body_bytes: Some(MOST_BYTES), ..options.clone() };
        let meter = Arc::clone(&options.meter);
        let client = Client::new(options)?;
        Ok(Self { runtime, client, get, bytes: 0, read: 0, round_trip: None, meter })
    }

    /// The bytes that one request is worth, where `jobs` of them are made at once: what a line of
    /// 100 Mbit/s carries in their share of a round trip.
    pub(crate) fn request_cost(&self, jobs: usize) -> u64 {
        const BYTES_PER_SECOND: f64 = 12.5e6;
        /// A request that takes no time costs work on both sides.
        const LEAST: f64 = 2048.0;
        const MOST: f64 = 1_048_576.0;
        let seconds = self.round_trip.unwrap_or_default().as_secs_f64() / jobs.max(1) as f64;
        (seconds * BYTES_PER_SECOND).clamp(LEAST, MOST) as u64
    }

    /// Looks for the Source, and measures the round trip, so that the first plan has a cost: requests of
    /// a discovery follow each other, and each takes its share of the time.
    pub(crate) fn discover(
        &mut self,
        start: &Url,
        policy: DiscoveryPolicy,
    ) -> Result<Source, SyncError> {
        let (asked, before) = (Instant::now(), self.meter.load(Ordering::Relaxed));
        let found = self.runtime.block_on(discover_with(&self.client, start, &self.get, policy));
        let requests = self.meter.load(Ordering::Relaxed).saturating_sub(before);
        let requests = u32::try_from(requests).unwrap_or(u32::MAX);
        if let Some(took) = asked.elapsed().checked_div(requests) {
            self.note_round_trip(took);
        }
        Ok(found?)
    }

    fn note_round_trip(&mut self, took: Duration) {
        self.round_trip = Some(self.round_trip.map_or(took, |least| least.min(took)));
    }

    /// Fetches a document; none if it is as it was.
    pub(crate) fn get(
        &mut self,
        url: &Url,
        validators: Validators,
    ) -> Result<Option<Document>, FetchError> {
        let options = self.get.unless_unchanged(validators);
        let asked = Instant::now();
        let fetched = self.runtime.block_on(self.client.get(url, &options))?;
        self.note_round_trip(asked.elapsed());
        if fetched.is_unchanged() {
            return Ok(None);
        }
        self.read += 1;
        self.bytes += fetched.body.len();
        Ok(Some(Document::new(fetched)))
    }
}

impl Documents {
    /// Fetches several documents at once; none for those without a URL.
    pub(crate) fn get_all(
        &mut self,
        urls: &[Option<(Url, Validators)>],
    ) -> Vec<Option<Result<Option<Document>, FetchError>>> {
        let (client, get) = (&self.client, &self.get);
        let requests = urls.iter().map(|asked| async move {
            let (url, validators) = asked.as_ref()?;
            let options = get.unless_unchanged(validators.clone());
            Some(client.get(url, &options).await)
        });
        let answers = self.runtime.block_on(futures_util::future::join_all(requests));
        let document = |fetched: Fetched| (!fetched.is_unchanged()).then(|| Document::new(fetched));
        answers.into_iter().map(|answer| Some(answer?.map(document))).collect()
    }
}

impl Document {
    fn new(fetched: Fetched) -> Self {
        let charset = fetched.content_type.as_deref().and_then(charset);
        let validators = fetched.validators();
        let body = Box::new(fetched.body.into_reader());
        Self { url: fetched.url, validators, charset, body, lost: 0 }
    }

    /// Writes its bytes as they came.
    pub(crate) fn copy_to(&mut self, out: &mut impl std::io::Write) -> std::io::Result<u64> {
        self.body.seek(SeekFrom::Start(0))?;
        std::io::copy(&mut self.body, out)
    }

    /// Writes what its bytes are compressed (gzip).
    pub(crate) fn inflate_to(&mut self, out: &mut impl std::io::Write) -> std::io::Result<u64> {
        self.body.seek(SeekFrom::Start(0))?;
        std::io::copy(&mut flate2::read::MultiGzDecoder::new(&mut self.body), out)
    }

    /// A hash of its bytes.
    pub(crate) fn fingerprint(&mut self) -> Result<u64, SyncError> {
        let mut hasher = HashWriter(DefaultHasher::new());
        self.copy_to(&mut hasher).map_err(|error| self.unusable(&ReadError::Io(error)))?;
        Ok(hasher.0.finish())
    }

    /// A reader from the first byte on.
    pub(crate) fn reader(&mut self) -> Result<Reader<&mut (dyn ReadSeek + Send)>, SyncError> {
        let rewound = self.body.seek(SeekFrom::Start(0));
        rewound.map_err(|error| self.unusable(&ReadError::Io(error)))?;
        // Entries are read one at a time, and cost the same however many there are.
        let limits = Limits::default().of_any_size();
        let options = ReadOptions { limits, charset: self.charset.clone() };
        Ok(Reader::with_options(&mut *self.body, options))
    }

    /// Reads it to its end before anything is done about it: a list is all or nothing.
    pub(crate) fn summary(&mut self) -> Result<Summary, SyncError> {
        let url = self.url.clone();
        let unusable = |error: ReadError| unusable(&url, &error);
        let mut reader = self.reader()?;
        let head = reader.head().map_err(unusable)?.clone();
        let capability = head.capability();
        let (mut length, mut documents) = (0_u64, 0);
        let mut entries = 0;
        while let Some(entry) = reader.next_entry().map_err(unusable)? {
            entries += 1;
            length = length.saturating_add(entry.metadata.length.unwrap_or_default());
            if entry.metadata.capability.is_some() && entry.metadata.capability == capability {
                documents += 1;
            }
        }
        let lists_documents = entries > 0 && documents == entries;
        self.lost = reader.entries().saturating_sub(entries);
        Ok(Summary { head, entries, length, lists_documents })
    }

    /// Shows each entry, with what references in it are resolved against.
    pub(crate) fn each(
        &mut self,
        mut show: impl FnMut(&Entry<'_>, &Url) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        let url = self.url.clone();
        let mut reader = self.reader()?;
        let mut shown = 0;
        while let Some(entry) = reader.next_entry().map_err(|error| unusable(&url, &error))? {
            shown += 1;
            show(&entry, &url)?;
        }
        self.lost = reader.entries().saturating_sub(shown);
        Ok(())
    }

    /// How many of its entries name nothing, once it was read to its end.
    pub(crate) fn lost_entries(&self) -> u64 {
        self.lost
    }

    /// Counts entries whose URIs are none that a document could be fetched from among those.
    pub(crate) fn add_lost_entries(&mut self, entries: u64) {
        self.lost += entries;
    }

    /// Refuses a document that was read to its end if some of its entries name nothing: nobody knows what
    /// is missing then.
    pub(crate) fn check_entries(&self, url: &Url) -> Result<(), SyncError> {
        check_entries(url, self.lost)
    }

    /// Looks at its head and its first entry only: for whoever changes nothing on what it says.
    pub(crate) fn glance(&mut self) -> Result<Summary, SyncError> {
        let url = self.url.clone();
        let unusable = |error: ReadError| unusable(&url, &error);
        let mut reader = self.reader()?;
        let head = reader.head().map_err(unusable)?.clone();
        let first = reader.next_entry().map_err(unusable)?;
        let own = first.and_then(|entry| entry.metadata.capability);
        let lists_documents = own.is_some() && own == head.capability();
        Ok(Summary { head, entries: 0, length: 0, lists_documents })
    }

    pub(crate) fn unusable(&self, error: &ReadError) -> SyncError {
        unusable(&self.url, error)
    }
}

impl Summary {
    /// True if its entries are documents.
    pub(crate) fn is_index(&self) -> bool {
        self.head.form == Form::Index || self.lists_documents
    }

    /// True if it is an index or archive of Change Lists.
    pub(crate) fn lists_changes_elsewhere(&self) -> bool {
        self.is_index() || self.head.capability() == Some(Capability::ChangeListArchive)
    }
}

/// The same for a number of entries that name nothing.
pub(crate) fn check_entries(url: &Url, lost: u64) -> Result<(), SyncError> {
    match lost {
        0 => Ok(()),
        entries => Err(SyncError::LostEntries { url: url.to_string(), entries }),
    }
}

pub(crate) fn unusable(url: &Url, error: &ReadError) -> SyncError {
    SyncError::Document { url: url.to_string(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// A server that has the same document at each path, and answers `requests` requests.
    fn serve(requests: usize) -> (Url, std::thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let body = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
                    xmlns:rs=\"http://www.openarchives.org/rs/terms/\">\
                    <rs:md capability=\"resourcelist\" at=\"2026-01-01T00:00:00Z\"/></urlset>";
        let serve = move || {
            for _ in 0..requests {
                let mut stream = listener.accept().unwrap().0;
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let head = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
                assert!(head.count() > 0);
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nConnection: close";
                let length = body.len();
                write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
            }
        };
        (url, std::thread::spawn(serve))
    }

    #[test]
    fn discovery_measures_the_round_trip() {
        let (url, server) = serve(1);
        let get = GetOptions::trusting(&url);
        let mut documents = Documents::new(&ClientOptions::default(), get).unwrap();
        assert_eq!(documents.round_trip, None);
        let begun = Instant::now();
        let list = url.join("/resourcelist.xml").unwrap();
        let source = documents.discover(&list, DiscoveryPolicy::default()).unwrap();
        server.join().unwrap();
        assert_eq!(source.sets.len(), 1);
        let round_trip = documents.round_trip.expect("no document was fetched apart");
        assert!(round_trip > Duration::ZERO && round_trip <= begun.elapsed());
    }
}
