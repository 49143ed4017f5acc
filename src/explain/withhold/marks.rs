//! The mark that stands where text was left out: how it is put in, and what of a text it already covers.

use std::ops::Range;

/// Stands where text was left out.
pub(in crate::explain) const WITHHELD: &str = "[withheld]";

/// Puts [`WITHHELD`] in the place of each range; gives how many there were. What is left may tell something anew.
pub(in crate::explain) fn replace(text: &mut String, find: impl Fn(&str) -> Vec<Range<usize>>) -> usize {
    in_rounds(|| replace_once(text, find(text)))
}

/// Replaces until nothing is found, four times at most; gives how many places there were in all.
pub(in crate::explain) fn in_rounds(mut replace_once: impl FnMut() -> usize) -> usize {
    const ROUNDS: usize = 4;
    (0..ROUNDS)
        .map(|_| replace_once())
        .take_while(|places| *places > 0)
        .sum()
}

/// The places that are not within a mark of ours already.
pub(in crate::explain) fn unmarked(mut places: Vec<Range<usize>>, text: &str) -> Vec<Range<usize>> {
    let marks = marks(text);
    places.retain(|place| {
        let behind = marks.partition_point(|mark| mark.start <= place.start);
        behind.checked_sub(1).is_none_or(|at| marks[at].end < place.end)
    });
    places
}

/// Of places in order and apart, those that reach into a range.
pub(in crate::explain) fn reaching_into<'p>(
    places: &'p [Range<usize>],
    range: &Range<usize>,
) -> impl Iterator<Item = &'p Range<usize>> {
    let (start, end) = (range.start, range.end);
    let first = places.partition_point(|place| place.end <= start);
    places[first..].iter().take_while(move |place| place.start < end)
}

/// Where a text has [`WITHHELD`] already, in bytes.
pub(in crate::explain) fn marks(text: &str) -> Vec<Range<usize>> {
    text.match_indices(WITHHELD)
        .map(|(at, mark)| at..at + mark.len())
        .collect()
}

fn replace_once(text: &mut String, places: Vec<Range<usize>>) -> usize {
    let places = unmarked(places, text);
    if places.is_empty() {
        return 0;
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for place in &places {
        kept.push_str(text.get(from..place.start).unwrap_or_default());
        kept.push_str(WITHHELD);
        from = place.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    *text = kept;
    places.len()
}
