//! Text of tables and models made harmless to read: nothing in it is invisible, turns the text around it, or breaks a
//! document. `VisibleHtml` does this and the escaping for every text that a template prints; Markdown escapes when a page
//! is written.

use std::fmt::{self, Write};

use askama::filters::{Escaper, Html};

/// The escaper of all HTML templates (askama.toml): text made [`visible`], then escaped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VisibleHtml;

impl Escaper for VisibleHtml {
    fn write_escaped_str<W: Write>(&self, dest: W, text: &str) -> fmt::Result {
        if text.chars().any(is_changed) {
            Html.write_escaped_str(dest, &visible(text))
        } else {
            Html.write_escaped_str(dest, text)
        }
    }
}

/// The text with control characters, direction overrides, tag characters and non-characters replaced by signs that
/// show them, and every kind of line break by a line feed. Tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                shown.push('\n');
            }
            '\u{2028}' | '\u{2029}' => shown.push('\n'),
            '\n' | '\t' => shown.push(character),
            _ => match u32::from(character) {
                code if is_hidden(code) => {
                    let _ = write!(shown, "⟨U+{code:04X}⟩");
                }
                _ => shown.push(character),
            },
        }
    }
    shown
}

/// The same on one line: every run of white space is one space, none at the ends.
pub(crate) fn visible_line(text: &str) -> String {
    let shown = visible(text);
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether [`visible`] puts something else in its place.
fn is_changed(character: char) -> bool {
    matches!(character, '\r' | '\u{2028}' | '\u{2029}')
        || !matches!(character, '\n' | '\t') && is_hidden(u32::from(character))
}

/// Controls, the soft hyphen, blanks without width, embeddings, overrides and isolates, interlinear marks, the byte order mark, tag characters, and code points that
/// are no characters. The plain direction marks (U+200E, U+200F) and the joiners stay: right-to-left text needs them.
fn is_hidden(code: u32) -> bool {
    matches!(code, 0..=0x1f | 0x7f..=0x9f | 0xad | 0x180e | 0x200b | 0x2060..=0x2064 | 0x206a..=0x206f | 0x202a..=0x202e | 0x2066..=0x2069 | 0xfeff | 0xfff9..=0xfffb | 0xfdd0..=0xfdef | 0xe0000..=0xe007f)
        || code & 0xfffe == 0xfffe
}

/// Whether the text holds a letter written from right to left.
pub(super) fn has_right_to_left(text: &str) -> bool {
    text.chars().any(|character| {
        matches!(u32::from(character), 0x590..=0x8ff | 0xfb1d..=0xfdcf | 0xfdf0..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff | 0x1e800..=0x1efff)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\0b\u{1b}[0m"), "a⟨U+0000⟩b⟨U+001B⟩[0m");
        assert_eq!(visible("x\u{202e}y\u{2066}"), "x⟨U+202E⟩y⟨U+2066⟩");
        assert_eq!(visible("\u{ffff}\u{1fffe}\u{fdd0}"), "⟨U+FFFF⟩⟨U+1FFFE⟩⟨U+FDD0⟩");
        assert_eq!(visible("\u{85}\u{7f}"), "⟨U+0085⟩⟨U+007F⟩");
    }

    #[test]
    fn ordinary_text_stays() {
        for text in ["", "naïve – 1,234 €", "שלום", "a\tb", "👩\u{200d}🚀", "\u{200f}"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn line_breaks_become_one_kind() {
        assert_eq!(visible("a\r\nb\rc\u{2028}d\n\re"), "a\nb\nc\nd\n\ne");
        assert_eq!(visible_line("  a \r\n\t b\u{a0}c "), "a b c");
    }

    #[test]
    fn a_template_prints_visible_and_escaped_text() {
        let mut html = String::new();
        for text in ["<b>&\"\u{202e}", "a\rb\0", "\u{feff}x", "plain\n\t"] {
            VisibleHtml.write_escaped_str(&mut html, text).unwrap();
        }
        assert_eq!(html, "&#60;b&#62;&#38;&#34;⟨U+202E⟩a\nb⟨U+0000⟩⟨U+FEFF⟩xplain\n\t");
    }

    #[test]
    fn direction_is_seen() {
        assert!(has_right_to_left("1990 مدينة"));
        assert!(!has_right_to_left("1990 Żary 東京"));
    }
}
