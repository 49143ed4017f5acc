//! The pieces of a SQL statement that a listing colours. A reader of characters, not of grammar: joined together, the
//! pieces are the statement again, whatever the statement is.

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A reserved word.
    Keyword,
    /// A text in single quotes.
    Text,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// Names, signs, white space.
    Plain,
}

/// A piece of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// What it is.
    pub(super) kind: PieceKind,
    /// Its text, exactly as it stands there.
    pub(super) text: String,
}

impl Piece {
    /// The class of its colour; empty for plain text.
    pub(super) fn class(&self) -> &'static str {
        match self.kind {
            PieceKind::Keyword => "sql-keyword",
            PieceKind::Text => "sql-text",
            PieceKind::Number => "sql-number",
            PieceKind::Comment => "sql-comment",
            PieceKind::Plain => "",
        }
    }
}

const KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "COLLATE",
    "CROSS",
    "DESC",
    "DISTINCT",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "FILTER",
    "FIRST",
    "FROM",
    "FULL",
    "GLOB",
    "GROUP",
    "HAVING",
    "IN",
    "INNER",
    "INTERSECT",
    "IS",
    "JOIN",
    "LAST",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NATURAL",
    "NOT",
    "NULL",
    "NULLS",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "RECURSIVE",
    "RIGHT",
    "ROWS",
    "SELECT",
    "THEN",
    "UNION",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
];

/// Cuts a statement into pieces.
pub(super) fn pieces(statement: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut rest = statement;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next_piece(rest, first);
        let (text, after) = rest.split_at(length);
        match found.last_mut() {
            Some(last) if last.kind == PieceKind::Plain && kind == PieceKind::Plain => last.text.push_str(text),
            _ => found.push(Piece {
                kind,
                text: text.to_owned(),
            }),
        }
        rest = after;
    }
    found
}

/// The statement without its comments, which are no part of what ran: a model's habit, and a place to say anything.
pub(super) fn without_comments(statement: &str) -> String {
    let mut kept = String::with_capacity(statement.len());
    let mut after_comment = false;
    for piece in pieces(statement) {
        if piece.kind == PieceKind::Comment {
            let end = kept.trim_end_matches([' ', '\t']).len();
            kept.truncate(end);
            if piece.text.starts_with("/*") && !kept.is_empty() && !kept.ends_with('\n') {
                kept.push(' ');
            }
            after_comment = true;
            continue;
        }
        // A line that held nothing but a comment goes with it.
        let is_blank_line = after_comment && (kept.is_empty() || kept.ends_with('\n'));
        let text = match piece.text.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n') {
            Some(rest) if is_blank_line => rest,
            _ if after_comment && kept.ends_with(' ') => piece.text.trim_start_matches([' ', '\t']),
            _ => &piece.text,
        };
        kept.push_str(text);
        after_comment = false;
    }
    kept.trim().to_owned()
}

/// Kind and length in bytes of the piece that `rest` begins with.
fn next_piece(rest: &str, first: char) -> (PieceKind, usize) {
    match first {
        '\'' => (PieceKind::Text, quoted(rest, '\'')),
        '"' | '`' => (PieceKind::Plain, quoted(rest, first)),
        '[' => (PieceKind::Plain, rest.find(']').map_or(rest.len(), |end| end + 1)),
        '-' if rest.starts_with("--") => (PieceKind::Comment, rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => (
            PieceKind::Comment,
            rest.get(2..)
                .and_then(|inner| inner.find("*/"))
                .map_or(rest.len(), |end| end + 4),
        ),
        '0'..='9' => (PieceKind::Number, run(rest, |c| c.is_ascii_alphanumeric() || c == '.')),
        _ if is_word(first) => {
            let length = run(rest, is_word);
            let is_keyword = rest
                .get(..length)
                .is_some_and(|word| KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)));
            (
                if is_keyword {
                    PieceKind::Keyword
                } else {
                    PieceKind::Plain
                },
                length,
            )
        }
        _ => (PieceKind::Plain, first.len_utf8()),
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// Length of the run of characters at the start that `belongs` takes.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

/// Length of a quoted piece, its quotes with it; a doubled quote does not end it, the end of the text does.
fn quoted(text: &str, quote: char) -> usize {
    let mut places = text.char_indices().skip(1).peekable();
    while let Some((place, character)) = places.next() {
        if character == quote && places.next_if(|(_, next)| *next == quote).is_none() {
            return place + quote.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_kind(statement: &str, kind: PieceKind) -> Vec<String> {
        pieces(statement)
            .into_iter()
            .filter(|piece| piece.kind == kind)
            .map(|piece| piece.text)
            .collect()
    }

    #[test]
    fn words_texts_numbers_and_comments_are_told_apart() {
        let statement = "select \"from\", n2 FROM table_sql -- where\nWHERE a = 'it''s' AND b > 1.5 /* or */";
        assert_eq!(
            of_kind(statement, PieceKind::Keyword),
            ["select", "FROM", "WHERE", "AND"]
        );
        assert_eq!(of_kind(statement, PieceKind::Text), ["'it''s'"]);
        assert_eq!(of_kind(statement, PieceKind::Number), ["1.5"]);
        assert_eq!(of_kind(statement, PieceKind::Comment), ["-- where", "/* or */"]);
    }

    #[test]
    fn comments_go_and_nothing_else_does() {
        for (statement, expected) in [
            ("SELECT 1 -- one", "SELECT 1"),
            ("-- first\nSELECT a, -- the a\n  b\nFROM t", "SELECT a,\n  b\nFROM t"),
            ("SELECT/* x */a /* y */ FROM t", "SELECT a FROM t"),
            ("SELECT 1\n  -- alone\n  , 2", "SELECT 1\n  , 2"),
            (
                "SELECT '-- no', \"/* no */\", [--] FROM t",
                "SELECT '-- no', \"/* no */\", [--] FROM t",
            ),
            ("SELECT 'a \n b'", "SELECT 'a \n b'"),
            ("/* open", ""),
        ] {
            assert_eq!(without_comments(statement), expected);
        }
    }

    #[test]
    fn pieces_join_to_the_statement() {
        for statement in [
            "",
            "'open",
            "\"open",
            "[open",
            "/*",
            "/*/",
            "--",
            "''''",
            "é'ü'—1x",
            "a\0b",
            "1..2.e",
        ] {
            let joined: String = pieces(statement).into_iter().map(|piece| piece.text).collect();
            assert_eq!(joined, statement);
        }
    }
}
