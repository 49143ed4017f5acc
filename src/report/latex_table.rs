//! One table for LaTeX (booktabs), in plain ASCII: whatever a name holds is escaped until it is text, in any encoding that a
//! document may have set up.

use unicode_normalization::UnicodeNormalization;

use crate::explain::visible_text::visible_line;

/// A table; columns whose name begins with `#` hold numbers.
pub(super) struct LatexTable {
    caption: String,
    label: &'static str,
    header: Vec<String>,
    numeric: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl LatexTable {
    /// No rows yet. The label is that of `\ref`.
    pub(super) fn new(label: &'static str, caption: &str, header: &[&str]) -> Self {
        Self {
            caption: escaped(caption),
            label,
            numeric: header.iter().map(|name| name.starts_with('#')).collect(),
            header: header
                .iter()
                .map(|name| escaped(name.trim_start_matches('#')))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// A row, as wide as the header, still unescaped.
    pub(super) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows
            .push(cells.into_iter().map(|cell| escaped(cell.as_ref())).collect());
    }

    /// The table as a float.
    pub(super) fn finish(self) -> String {
        let columns: String = self
            .numeric
            .iter()
            .map(|numeric| if *numeric { 'r' } else { 'l' })
            .collect();
        let mut text = format!(
            "% Needs \\usepackage{{booktabs}}.\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{tab:{}}}\n\\small\n\
             \\begin{{tabular}}{{{columns}}}\n\\toprule\n{} \\\\\n\\midrule\n",
            self.caption,
            self.label,
            self.header.join(" & ")
        );
        for row in &self.rows {
            text.push_str(&row.join(" & "));
            text.push_str(" \\\\\n");
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n\\end{table}\n");
        text
    }
}

/// Text as LaTeX that prints it. A letter without a form in every encoding is printed by its code point.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in visible_line(text).nfc() {
        match special(letter) {
            Some(form) => safe.push_str(form),
            None if letter.is_ascii_graphic() || letter == ' ' => safe.push(letter),
            None => match accented(letter) {
                Some(form) => safe.push_str(&form),
                None => safe.push_str(&format!("\\textless{{}}U+{:04X}\\textgreater{{}}", u32::from(letter))),
            },
        }
    }
    safe
}

/// Letters that LaTeX takes for something, and the few others that it has a command for.
fn special(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\\' => "\\textbackslash{}",
        '{' => "\\{",
        '}' => "\\}",
        '$' => "\\$",
        '&' => "\\&",
        '#' => "\\#",
        '%' => "\\%",
        '_' => "\\_",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '"' => "\\char34{}",
        '`' => "\\char96{}",
        '\'' => "'{}",
        // Two of them would become a dash.
        '-' => "-{}",
        // After the end of a row these would be taken for its arguments.
        '[' => "{[}",
        '*' => "{*}",
        '–' => "--",
        '—' => "---",
        '−' => "$-$",
        '·' => "\\textperiodcentered{}",
        '…' => "\\ldots{}",
        '“' => "``",
        '”' => "''",
        '‘' => "`{}",
        '’' => "'{}",
        '×' => "$\\times$",
        '±' => "$\\pm$",
        'ß' => "\\ss{}",
        'ø' => "\\o{}",
        'Ø' => "\\O{}",
        'æ' => "\\ae{}",
        'Æ' => "\\AE{}",
        'œ' => "\\oe{}",
        'Œ' => "\\OE{}",
        'ł' => "\\l{}",
        'Ł' => "\\L{}",
        'ı' => "\\i{}",
        '⟨' => "\\textless{}",
        '⟩' => "\\textgreater{}",
        '\u{a0}' => " ",
        _ => return None,
    })
}

/// A Latin letter with one accent that every encoding has.
fn accented(letter: char) -> Option<String> {
    let mut parts = std::iter::once(letter).nfd();
    let (base, accent) = (parts.next()?, parts.next()?);
    if parts.next().is_some() || !base.is_ascii_alphabetic() {
        return None;
    }
    let command = match accent {
        '\u{300}' => "`",
        '\u{301}' => "'",
        '\u{302}' => "^",
        '\u{303}' => "~",
        '\u{304}' => "=",
        '\u{306}' => "u",
        '\u{307}' => ".",
        '\u{308}' => "\"",
        '\u{30a}' => "r",
        '\u{30b}' => "H",
        '\u{30c}' => "v",
        '\u{327}' => "c",
        _ => return None,
    };
    // An accent stands on a letter without its dot.
    let base = match (base, accent) {
        (base, '\u{327}') => base.to_string(),
        ('i', _) => "\\i".to_owned(),
        ('j', _) => "\\j".to_owned(),
        (base, _) => base.to_string(),
    };
    Some(format!("\\{command}{{{base}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn nothing_in_a_name_is_a_command() {
        assert_eq!(
            escaped("\\input{x} $a_b^c$ 100% #1 & ~ <|> \"`'[*--"),
            "\\textbackslash{}input\\{x\\} \\$a\\_b\\textasciicircum{}c\\$ 100\\% \\#1 \\& \\textasciitilde{} \
             \\textless{}\\textbar{}\\textgreater{} \\char34{}\\char96{}'{}{[}{*}-{}-{}"
        );
        assert_eq!(
            escaped("Zoë Çelik Ågren ķī"),
            "Zo\\\"{e} \\c{C}elik \\r{A}gren \\c{k}\\={\\i}"
        );
        assert_eq!(
            escaped("表\u{202e}\n–−"),
            "\\textless{}U+8868\\textgreater{}\\textless{}U+202E\\textgreater{} --$-$"
        );
        assert!(escaped("œ ğ ő ħ Ą ﷽ 🙂").is_ascii());
    }

    #[test]
    fn a_table_has_its_rules() {
        let mut table = LatexTable::new("x", "Of 5%", &["name", "#n"]);
        table.row(["a_b", "1"]);
        assert_eq!(
            table.finish(),
            "% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n\\caption{Of 5\\%}\n\\label{tab:x}\n\\small\n\
             \\begin{tabular}{lr}\n\\toprule\nname & n \\\\\n\\midrule\na\\_b & 1 \\\\\n\\bottomrule\n\\end{tabular}\n\
             \\end{table}\n"
        );
    }
}
