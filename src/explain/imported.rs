//! Pages that were made elsewhere, read into blocks of plain text.
//!
//! Two steps, so that nothing depends on the second being free of faults: `ammonia` takes out everything that is active,
//! loads, links or styles, and gives well-formed markup of few elements; then `reader` reads that into blocks. No
//! markup of an imported page is ever written into a page of ours. What survives of its look is what was highlighted: a
//! background colour set on an element itself (`style` or `bgcolor`), or `<mark>`.

mod markup;
mod reader;
mod removed;
pub(super) mod view;

use crate::trace::imported::ImportedBlock;

use markup::{MOST_NESTED, Piece, pieces, sanitised, too_deep};
use reader::{MOST_CELLS, Reader};

pub use removed::removed;

/// Most bytes of a page: the largest released one has 0.2 MB.
pub const MOST_BYTES: usize = 4 << 20;

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

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::reader::{WIDEST_CELL, run};
    use super::*;

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
    fn what_stands_apart_in_a_line_is_parted_by_blanks() {
        for (html, expected) in [
            ("<p><span>Petrel</span><span>wins</span></p>", "Petrel wins"),
            (
                "<button>Petrel</button><button>wins</button>Petrel is first",
                "Petrel wins Petrel is first",
            ),
            ("<p><a href=x>Petrel</a><a href=y>Skua</a>.</p>", "Petrel Skua."),
            ("<label>Winner</label><span>Petrel</span>", "Winner Petrel"),
            ("<ruby>Petrel<rt>bird</rt></ruby>", "Petrel bird"),
            ("<option>Petrel<option>Skua", "Petrel Skua"),
            (
                "<p>Pet<b>rel</b>, <span>S</span>kua, (<span>x</span>)</p>",
                "Petrel, Skua, (x)",
            ),
        ] {
            assert_eq!(read(html), [paragraph(expected)], "{html}");
        }
        let rows = table("<table><tr><td><span>Petrel</span><span>wins</span></table>");
        assert_eq!(rows, [[cell("Petrel wins", false)]]);
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
