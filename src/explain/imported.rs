//! Pages that were made elsewhere, read into blocks of plain text.
//!
//! Two steps, so that nothing depends on the second being free of faults: `ammonia` takes out everything that is active,
//! loads, links or styles, and gives well-formed markup of few elements; then this file reads that into blocks. No
//! markup of an imported page is ever written into a page of ours. What survives of its look is what was highlighted: a
//! background colour set on an element itself (`style` or `bgcolor`), or `<mark>`.

mod removed;
pub(super) mod view;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::trace::imported::{ImportedBlock, ImportedCell, ImportedRun};

pub use removed::removed;

/// Most bytes of a page: the largest released one has 0.2 MB.
pub const MOST_BYTES: usize = 4 << 20;

/// Most elements of one name that may be open at once: a parser of HTML takes time with the square of it.
const MOST_NESTED: usize = 500;

/// Widest and highest cell that is believed, in columns and rows.
const WIDEST_CELL: usize = 100;

/// Most cells of a page, those that others span among them.
const MOST_CELLS: usize = 200_000;

/// A page that is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is too large.
    #[error("the page has {bytes} bytes, more than {MOST_BYTES}")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
    },
    /// Its elements are nested too deep: reading it would take too long.
    #[error("the page nests more than {MOST_NESTED} `{element}` elements")]
    TooDeep {
        /// The element.
        element: String,
    },
    /// Its tables are too large.
    #[error("the tables of the page have more than {MOST_CELLS} cells")]
    TooManyCells,
    /// Nothing is left of it.
    #[error("the page holds no text")]
    Empty,
}

/// Reads a page into blocks.
pub fn read_html(html: &str) -> Result<Vec<ImportedBlock>, ImportError> {
    if html.len() > MOST_BYTES {
        return Err(ImportError::TooLarge { bytes: html.len() });
    }
    if let Some(element) = too_deep(html) {
        return Err(ImportError::TooDeep { element });
    }
    let mut reader = Reader::default();
    for piece in pieces(&sanitised(html)) {
        match piece {
            Piece::Open { name, attributes } => reader.open(name, &attributes),
            Piece::Close(name) => reader.close(name),
            Piece::Text(text) => reader.text(&text),
        }
    }
    if reader.cells > MOST_CELLS {
        return Err(ImportError::TooManyCells);
    }
    let blocks = reader.finish();
    if blocks.is_empty() {
        return Err(ImportError::Empty);
    }
    Ok(blocks)
}

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "ul",
];
const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];
const OTHERS: &[&str] = &[
    "b", "caption", "code", "em", "i", "li", "mark", "pre", "span", "strong", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "u",
];

/// The first element of which too many are open at once. Elements that end by themselves are not counted.
fn too_deep(html: &str) -> Option<String> {
    const END_BY_THEMSELVES: &[&str] = &[
        "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
        "source", "td", "th", "tr", "wbr",
    ];
    let mut open: HashMap<String, usize> = HashMap::new();
    for tag in html.split('<').skip(1) {
        let (closes, rest) = match tag.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, tag),
        };
        let name: String = rest.chars().take(20).take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        if name.is_empty() || END_BY_THEMSELVES.contains(&name.as_str()) {
            continue;
        }
        let count = open.entry(name.clone()).or_default();
        *count = if closes { count.saturating_sub(1) } else { *count + 1 };
        if *count > MOST_NESTED {
            return Some(name);
        }
    }
    None
}

/// The page with nothing but elements of text and tables; of their attributes the width of cells, and `highlight` where
/// the page set a background colour.
fn sanitised(html: &str) -> String {
    let tags: HashSet<&str> = [BLOCKS, HEADINGS, OTHERS].into_iter().flatten().copied().collect();
    let cells = HashSet::from(["colspan", "rowspan"]);
    ammonia::Builder::empty()
        .tags(tags)
        .clean_content_tags(HashSet::from([
            "script", "style", "title", "template", "noscript", "iframe", "object", "svg", "math", "textarea", "select",
        ]))
        .generic_attributes(HashSet::from(["style", "bgcolor"]))
        .tag_attributes(HashMap::from([("td", cells.clone()), ("th", cells)]))
        .attribute_filter(|_, attribute, value| match attribute {
            "colspan" | "rowspan" => Some(Cow::Borrowed(value)),
            "style" => is_highlighting(value).then_some(Cow::Borrowed("highlight")),
            "bgcolor" => is_colour(value).then_some(Cow::Borrowed("highlight")),
            _ => None,
        })
        .clean(html)
        .to_string()
}

fn is_highlighting(style: &str) -> bool {
    style.split(';').any(|declaration| {
        declaration.split_once(':').is_some_and(|(name, value)| {
            let name = name.trim().to_ascii_lowercase();
            (name == "background-color" || name == "background") && is_colour(value)
        })
    })
}

/// Whether a background of this colour stands out from a page: white, none and what is inherited do not.
fn is_colour(value: &str) -> bool {
    let value = value.to_ascii_lowercase().replace("!important", "");
    let value: String = value.split_whitespace().collect();
    let plain = [
        "",
        "none",
        "transparent",
        "inherit",
        "initial",
        "unset",
        "white",
        "#fff",
        "#ffffff",
        "rgb(255,255,255)",
        "rgba(0,0,0,0)",
        "rgba(255,255,255,0)",
        "rgba(255,255,255,1)",
    ];
    !plain.contains(&value.as_str()) && !value.contains("url(")
}

/// A piece of sanitised markup.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Open {
        name: &'a str,
        attributes: Vec<(&'a str, String)>,
    },
    Close(&'a str),
    Text(String),
}

/// Splits sanitised markup, in which `<` begins nothing but a tag.
fn pieces(markup: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = markup;
    while !rest.is_empty() {
        if let Some(tag) = rest.strip_prefix('<') {
            let end = end_of_tag(tag);
            let inside = &tag[..end];
            rest = tag.get(end + 1..).unwrap_or_default();
            match inside.strip_prefix('/') {
                Some(name) => found.push(Piece::Close(name.trim())),
                None => {
                    let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
                    found.push(Piece::Open {
                        name,
                        attributes: attributes_of(attributes),
                    });
                }
            }
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            found.push(Piece::Text(unescaped(&rest[..end])));
            rest = &rest[end..];
        }
    }
    found
}

/// Where the `>` stands that is not within quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut quoted = false;
    for (place, letter) in tag.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '>' if !quoted => return place,
            _ => {}
        }
    }
    tag.len()
}

fn attributes_of(mut text: &str) -> Vec<(&str, String)> {
    let mut attributes = Vec::new();
    while let Some((name, rest)) = text.split_once("=\"") {
        let (value, rest) = rest.split_once('"').unwrap_or((rest, ""));
        attributes.push((name.trim(), unescaped(value)));
        text = rest;
    }
    attributes
}

/// The entities that a serializer of HTML writes.
fn unescaped(text: &str) -> String {
    let text = text
        .replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// Puts the pieces together.
#[derive(Default)]
struct Reader {
    blocks: Vec<ImportedBlock>,
    /// Open elements, with whether each highlights what is in it.
    open: Vec<(String, bool)>,
    runs: Vec<ImportedRun>,
    code: Option<String>,
    /// The rows of the outermost open table; a table within a cell is text of that cell.
    table: Option<Vec<Vec<ImportedCell>>>,
    tables_open: usize,
    /// Cells of no text that follow the open cell, which spans their columns.
    spanned: usize,
    /// By column: in how many more rows a cell above reaches down, and whether it is marked.
    from_above: Vec<(usize, ImportedCell)>,
    /// Cells of all tables.
    cells: usize,
}

impl Reader {
    fn open(&mut self, name: &str, attributes: &[(&str, String)]) {
        let highlighted = name == "mark" || attributes.iter().any(|(_, value)| value == "highlight");
        if matches!(name, "br" | "hr") {
            self.pause();
            return;
        }
        match name {
            "table" => {
                self.pause();
                self.tables_open += 1;
                if self.tables_open == 1 {
                    self.table = Some(Vec::new());
                }
            }
            "tr" if self.tables_open == 1 => self.begin_row(),
            "td" | "th" if self.tables_open == 1 => {
                let marked = highlighted || self.is_marked();
                self.end_span();
                self.put_from_above();
                let span = |wanted: &str| {
                    let value = attributes.iter().find(|(name, _)| *name == wanted);
                    let span = value.and_then(|(_, value)| value.trim().parse().ok());
                    span.unwrap_or(1_usize).clamp(1, WIDEST_CELL)
                };
                let (width, height) = (span("colspan"), span("rowspan"));
                self.put_cell(
                    ImportedCell {
                        text: String::new(),
                        header: name == "th",
                        marked,
                    },
                    width,
                    height,
                );
            }
            "pre" if self.table.is_none() => {
                self.pause();
                self.code = Some(String::new());
            }
            "td" | "th" => self.pause(),
            "tbody" | "thead" | "tfoot" => {}
            _ if breaks(name) => self.pause(),
            _ => {}
        }
        self.open.push((name.to_owned(), highlighted));
    }

    fn close(&mut self, name: &str) {
        match name {
            "table" => {
                self.pause();
                self.tables_open = self.tables_open.saturating_sub(1);
                if self.tables_open == 0 {
                    self.end_table();
                }
            }
            "tr" if self.tables_open == 1 => self.end_span(),
            "pre" => self.end_code(),
            _ if HEADINGS.contains(&name) && self.table.is_none() => self.end_heading(),
            _ if breaks(name) => self.pause(),
            _ => {}
        }
        // Sanitised markup is well-formed: the newest element of this name is the one that ends.
        if let Some(place) = self.open.iter().rposition(|(open, _)| open == name) {
            self.open.truncate(place);
        }
    }

    fn text(&mut self, text: &str) {
        let marked = self.is_marked();
        if let Some(code) = &mut self.code {
            code.push_str(text);
        } else if let Some(rows) = &mut self.table {
            let blank = text.trim().is_empty();
            match rows.last_mut().and_then(|row| row.last_mut()) {
                Some(cell) => {
                    cell.text.push_str(text);
                    cell.marked |= marked && !blank;
                }
                // A caption, before the first row.
                None if !blank => self.runs.push(run(text, marked)),
                None => {}
            }
        } else {
            self.runs.push(run(text, marked));
        }
    }

    fn is_marked(&self) -> bool {
        self.open.iter().any(|(_, marked)| *marked)
    }

    /// Puts a cell at the end of the row. A page with too many is refused, so what comes then is not kept.
    fn put_cell(&mut self, cell: ImportedCell, width: usize, height: usize) {
        self.cells += width;
        let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) else {
            return;
        };
        if self.cells > MOST_CELLS {
            return;
        }
        if height > 1 {
            let end = row.len() + width;
            if self.from_above.len() < end {
                self.from_above.resize(end, (0, cell.clone()));
            }
            self.from_above[row.len()..end].fill((height - 1, cell.clone()));
        }
        self.spanned = width - 1;
        row.push(cell);
    }

    /// Puts the empty cells that cells above reach down to, as far as they follow each other.
    fn put_from_above(&mut self) {
        let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) else {
            return;
        };
        while let Some((left, cell)) = self.from_above.get_mut(row.len()).filter(|(left, _)| *left > 0)
            && self.cells <= MOST_CELLS
        {
            *left -= 1;
            self.cells += 1;
            row.push(cell.clone());
        }
    }

    fn end_row(&mut self) {
        self.end_span();
        self.put_from_above();
    }

    fn begin_row(&mut self) {
        self.end_row();
        if let Some(rows) = &mut self.table {
            rows.push(Vec::new());
        }
    }

    /// Puts the empty cells behind the one that spans them.
    fn end_span(&mut self) {
        let spanned = std::mem::take(&mut self.spanned);
        if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut())
            && let Some(cell) = row.last().cloned()
        {
            let empty = ImportedCell {
                text: String::new(),
                ..cell
            };
            row.extend(std::iter::repeat_n(empty, spanned));
        }
    }

    /// What stands before and after is apart: a paragraph ends, or a blank parts the words of a cell.
    fn pause(&mut self) {
        if let Some(code) = &mut self.code {
            code.push('\n');
        } else if let Some(rows) = &mut self.table {
            if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                cell.text.push(' ');
            }
        } else {
            let item = self.open.iter().any(|(name, _)| name == "li");
            self.end_text(item);
        }
    }

    fn end_text(&mut self, item: bool) {
        let runs = tidied(std::mem::take(&mut self.runs));
        if !runs.is_empty() {
            self.blocks.push(ImportedBlock::Text { runs, item });
        }
    }

    fn end_heading(&mut self) {
        let runs = tidied(std::mem::take(&mut self.runs));
        if !runs.is_empty() {
            let text = runs.into_iter().map(|run| run.text).collect();
            self.blocks.push(ImportedBlock::Heading { text });
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let text = code.trim_matches('\n').trim_end().to_owned();
        if !text.is_empty() {
            self.blocks.push(ImportedBlock::Code { text });
        }
    }

    fn end_table(&mut self) {
        self.end_row();
        self.from_above.clear();
        let mut rows = self.table.take().unwrap_or_default();
        // The caption came first, and was kept for here.
        self.end_text(false);
        for cell in rows.iter_mut().flatten() {
            cell.text = one_line(&cell.text);
        }
        rows.retain(|row| !row.is_empty());
        if !rows.is_empty() {
            self.blocks.push(ImportedBlock::Table { rows });
        }
    }

    fn finish(mut self) -> Vec<ImportedBlock> {
        self.end_code();
        if self.table.is_some() {
            self.end_table();
        }
        self.end_text(false);
        self.blocks
    }
}

/// Whether what stands before and after an element of this name is apart.
fn breaks(name: &str) -> bool {
    BLOCKS.contains(&name) || HEADINGS.contains(&name) || matches!(name, "li" | "caption" | "pre")
}

fn run(text: &str, marked: bool) -> ImportedRun {
    ImportedRun {
        text: text.to_owned(),
        marked,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs with single blanks, none at the ends of the paragraph, and neighbours of one kind joined.
fn tidied(runs: Vec<ImportedRun>) -> Vec<ImportedRun> {
    let mut tidy: Vec<ImportedRun> = Vec::new();
    for run in runs {
        let mut text = String::new();
        for letter in run.text.chars() {
            let before = text
                .chars()
                .next_back()
                .or_else(|| tidy.last()?.text.chars().next_back());
            if !letter.is_whitespace() {
                text.push(letter);
            } else if before.is_some_and(|before| before != ' ') {
                text.push(' ');
            }
        }
        match tidy.last_mut() {
            Some(last) if last.marked == run.marked => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => tidy.push(ImportedRun {
                text,
                marked: run.marked,
            }),
        }
    }
    if let Some(last) = tidy.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    tidy.retain(|run| !run.text.is_empty());
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(html: &str) -> Vec<ImportedBlock> {
        read_html(html).unwrap()
    }

    fn paragraph(text: &str) -> ImportedBlock {
        ImportedBlock::Text {
            runs: vec![run(text, false)],
            item: false,
        }
    }

    fn table(html: &str) -> Vec<Vec<(String, bool)>> {
        match read(html).remove(0) {
            ImportedBlock::Table { rows } => rows
                .into_iter()
                .map(|row| row.into_iter().map(|cell| (cell.text, cell.marked)).collect())
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    fn cell(text: &str, marked: bool) -> (String, bool) {
        (text.to_owned(), marked)
    }

    #[test]
    fn cells_stay_apart_and_backgrounds_become_marks() {
        let rows = table(
            "<table border=1><tr><th>Boat</th><th>Crew</th></tr>\
             <tr style='background-color: yellow'><td>Heron</td><td>3</td></tr>\
             <tr><td style='color:red;background:#90EE90'>Osprey</td><td style='background-color:white'>5</td></tr>\
             <tr><td bgcolor=pink>Grebe</td><td><mark>9</mark> of them<br>at sea</td></tr></table>",
        );
        assert_eq!(
            rows,
            [
                [cell("Boat", false), cell("Crew", false)],
                [cell("Heron", true), cell("3", true)],
                [cell("Osprey", true), cell("5", false)],
                [cell("Grebe", true), cell("9 of them at sea", true)],
            ]
        );
    }

    #[test]
    fn spans_captions_and_tables_in_cells() {
        let blocks = read(
            "<table><caption>Crews</caption><tr><td colspan=3>all</td><td>x</td></tr>\
             <tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td></tr></table>",
        );
        assert_eq!(blocks[0], paragraph("Crews"));
        let ImportedBlock::Table { rows } = &blocks[1] else {
            panic!("{blocks:?}");
        };
        let texts: Vec<&str> = rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["all", "", "", "x"]);
        assert_eq!(rows[1][0].text, "a b c");
        assert!(table("<table><tr><td colspan=4000000000>a</td></tr></table>")[0].len() <= WIDEST_CELL);
    }

    #[test]
    fn cells_that_reach_down_keep_their_columns() {
        let rows = table(
            "<table><tr><td rowspan=2>a<td>b<td rowspan=3>c<tr><td>d<tr><td>e<td>f<tr><td>g<td>h<td>i<td>j</table>",
        );
        let texts: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| row.iter().map(|(text, _)| text.as_str()).collect())
            .collect();
        assert_eq!(
            texts,
            [
                vec!["a", "b", "c"],
                vec!["", "d", ""],
                vec!["e", "f", ""],
                vec!["g", "h", "i", "j"]
            ]
        );
        let wide = "<table><tr><td rowspan=100 colspan=100>a".to_owned() + &"<tr><td colspan=100>b".repeat(3_000);
        assert_eq!(read_html(&wide), Err(ImportError::TooManyCells));
    }

    #[test]
    fn text_keeps_its_order_and_its_highlights() {
        let blocks = read(
            "<html><head><title>Secret name</title><style>td{color:red}</style></head><body><h2>Step  1</h2>\
             <p>Keep <span style='background-color: lightgreen'>two rows</span> of\n it.</p>\
             <ul><li>one</li><li>two &lt;b&gt; &amp;amp; more</li></ul><pre>SELECT 1\nFROM t</pre></body></html>Prediction: TRUE",
        );
        assert_eq!(
            blocks,
            [
                ImportedBlock::Heading {
                    text: "Step 1".to_owned()
                },
                ImportedBlock::Text {
                    runs: vec![run("Keep ", false), run("two rows", true), run(" of it.", false)],
                    item: false
                },
                ImportedBlock::Text {
                    runs: vec![run("one", false)],
                    item: true
                },
                ImportedBlock::Text {
                    runs: vec![run("two <b> &amp; more", false)],
                    item: true
                },
                ImportedBlock::Code {
                    text: "SELECT 1\nFROM t".to_owned()
                },
                paragraph("Prediction: TRUE"),
            ]
        );
    }

    #[test]
    fn nothing_active_is_left() {
        let hostile = "<p onclick=steal()>a</p><script>steal()</script><img src=x onerror=steal()>\
            <a href='javascript:steal()'>link</a><iframe src='//evil'>frame</iframe><svg><script>steal()</script></svg>\
            <style>@import '//evil'</style><p style='background:url(//evil)'>b</p><form action='//evil'><input value=c></form>\
            <meta http-equiv=refresh content='0;//evil'><base href='//evil'><object data='//evil'>o</object>\
            <math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=steal()&gt;'>\
            <template><p>hidden</p></template><p title='\"><script>steal()</script>'>d</p>";
        let clean = sanitised(hostile);
        for word in [
            "script",
            "onclick",
            "onerror",
            "javascript",
            "evil",
            "url(",
            "iframe",
            "svg",
            "style=\"b",
        ] {
            assert!(!clean.contains(word), "`{word}` is in {clean}");
        }
        let shown = format!("{:?}", read(hostile));
        for word in ["steal", "evil", "hidden"] {
            assert!(!shown.contains(word), "`{word}` is in {shown}");
        }
        assert!(
            shown.contains("link") && shown.contains("\"a\"") && shown.contains("\"b\""),
            "{shown}"
        );
    }

    #[test]
    fn broken_markup_is_read_to_its_end() {
        assert_eq!(read("a < b & c > d"), [paragraph("a < b & c > d")]);
        assert_eq!(table("<table><td>x<tr><td>y"), [[cell("x", false)], [cell("y", false)]]);
        assert_eq!(read_html("<script>x</script> <p> </p>"), Err(ImportError::Empty));
        let large = "x".repeat(MOST_BYTES + 1);
        assert_eq!(read_html(&large), Err(ImportError::TooLarge { bytes: large.len() }));
        assert_eq!(read(&("<div>".repeat(100) + "deep")), [paragraph("deep")]);
        let element = "div".to_owned();
        assert_eq!(
            read_html(&"<div>".repeat(20_000)),
            Err(ImportError::TooDeep { element })
        );
        assert_eq!(read_html(&("<p>x".repeat(2_000))).map(|blocks| blocks.len()), Ok(2_000));
    }
}
