//! Pages as pictures, for judges that see: each page drawn once by the Chromium of this machine, and kept in the run.
//!
//! A picture is part of a call by its digest. Browsers of other versions draw other bytes, so the pictures of a run are kept
//! in it (`pictures/`), and a run that goes on takes them from there instead of drawing them anew.

mod browser;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::explain::Page;
use crate::judge::settings::JudgeView;
use crate::model::Picture;

use super::directory::{DirectoryError, RunDirectory};
use super::load::{Study, StudyError};
use browser::Browser;

/// The directory of pictures inside a run.
pub(super) const PICTURES_DIRECTORY: &str = "pictures";
/// Which picture is which page's.
const INDEX: &str = "index.json";

/// What the index keeps of one page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// BLAKE3 of the PNG, which names its file.
    picture: String,
    /// Pixels.
    width: u64,
    /// Pixels.
    height: u64,
}

/// The pictures of pages.
#[derive(Default)]
pub(super) struct Pictures {
    /// By the digest of the page's HTML; where there is none, why.
    by_page: BTreeMap<String, Result<Picture, String>>,
    /// Whether pages that are not drawn yet count as drawn, for a rehearsal.
    imagined: bool,
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn file_name(picture: &str) -> String {
    format!("{picture}.png")
}

/// The judges of a study that see pictures.
fn seeing(study: &Study) -> Vec<&str> {
    let judges = study.file.judges.iter();
    judges
        .filter(|judge| judge.view == JudgeView::Picture)
        .map(|judge| judge.name.as_str())
        .collect()
}

/// Refuses a study whose judges are to see pictures where nothing can draw them, before anything is asked. A run that has
/// its pictures already needs no browser.
pub(super) fn check(study: &Study, run: &Path) -> Result<(), StudyError> {
    let judges = seeing(study);
    if judges.is_empty() || run.join(PICTURES_DIRECTORY).join(INDEX).is_file() || browser::installed().is_some() {
        return Ok(());
    }
    Err(StudyError::Meaning {
        path: study.path.clone(),
        message: format!(
            "these judges are to see pictures of the pages, and this machine has no Chromium to draw them: {}; install \
             `chromium`, or give them `view = \"markdown\"`",
            judges.join(", ")
        ),
    })
}

impl Pictures {
    /// Pictures that are not drawn: what a run would ask is counted, not asked.
    pub(super) fn imagined() -> Self {
        Self {
            imagined: true,
            ..Self::default()
        }
    }

    /// The pictures of these pages: those that the run has, and the others drawn now.
    pub(super) fn of<'a>(
        run: &RunDirectory,
        study: &Study,
        pages: impl IntoIterator<Item = &'a Page>,
    ) -> Result<Self, DirectoryError> {
        if seeing(study).is_empty() {
            return Ok(Self::default());
        }
        let index_file = format!("{PICTURES_DIRECTORY}/{INDEX}");
        let kept: BTreeMap<String, Entry> = run.read_json(&index_file)?.unwrap_or_default();
        let mut by_page = BTreeMap::new();
        let mut index: BTreeMap<String, Entry> = BTreeMap::new();
        let mut browser: Option<Result<Browser, String>> = None;
        let mut seen = BTreeSet::new();
        for page in pages {
            let name = digest(page.html.as_bytes());
            if !seen.insert(name.clone()) {
                continue;
            }
            let stored = kept.get(&name).and_then(|entry| {
                let png = run
                    .read_bytes(&format!("{PICTURES_DIRECTORY}/{}", file_name(&entry.picture)))
                    .ok()?;
                // One that was changed is drawn anew.
                (digest(&png) == entry.picture).then(|| (entry.clone(), Picture::new(png)))
            });
            let picture = match stored {
                Some(stored) => Ok(stored),
                None => browser
                    .get_or_insert_with(|| start(run))
                    .as_mut()
                    .map_err(|reason| reason.clone())
                    .and_then(|browser| browser.draw(&page.html))
                    .map(|drawn| {
                        let picture = Picture::new(drawn.png);
                        let entry = Entry {
                            picture: picture.digest.clone(),
                            width: drawn.width,
                            height: drawn.height,
                        };
                        (entry, picture)
                    }),
            };
            by_page.insert(
                name.clone(),
                picture.map(|(entry, picture)| {
                    index.insert(name, entry);
                    picture
                }),
            );
        }
        drop(browser);
        let mut files: BTreeMap<String, Vec<u8>> = by_page
            .values()
            .flatten()
            .map(|picture| (file_name(&picture.digest), picture.png().to_vec()))
            .collect();
        let mut text = serde_json::to_string_pretty(&index).unwrap_or_default();
        text.push('\n');
        files.insert(INDEX.to_owned(), text.into_bytes());
        let files: Vec<(String, Vec<u8>)> = files.into_iter().collect();
        run.replace_directory(PICTURES_DIRECTORY, &files)?;
        Ok(Self {
            by_page,
            imagined: false,
        })
    }

    /// The picture of a page, or why there is none.
    pub(super) fn get(&self, page: &Page) -> Result<Picture, String> {
        match self.by_page.get(&digest(page.html.as_bytes())) {
            Some(picture) => picture.clone(),
            None if self.imagined => Ok(Picture::new(Vec::new())),
            None => Err("the page was not drawn".to_owned()),
        }
    }
}

fn start(run: &RunDirectory) -> Result<Browser, String> {
    let name = browser::installed().ok_or("this machine has no Chromium to draw pages")?;
    Browser::start(name, &run.path(&format!(".browser-{}", std::process::id())))
}
