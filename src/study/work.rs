//! Doing many independent things at once: bounded, in any order, results in the order asked for.

use std::future::Future;

use tokio::task::JoinSet;

use crate::model::Stop;

/// Why the rest was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// A provider refused the key, or answers nothing; nothing else would work.
    Provider(String),
    /// Answers cannot be kept.
    Store(String),
    /// The user asked to stop.
    Stopped,
    /// A limit on calls or cost was met.
    Limit(String),
    /// The work on one item broke; says which.
    Broken(String),
}

/// Makes one result for each of `count` items, at most `concurrency` at a time. `after` sees each result as it comes
/// and may halt: then nothing new begins, `stop` keeps what is under way from asking further, and its end is awaited.
pub(super) async fn each<T, F>(
    count: usize,
    concurrency: usize,
    stop: &Stop,
    begin: impl Fn(usize) -> F,
    mut after: impl FnMut(usize, &T) -> Option<Halt>,
) -> Result<Vec<T>, Halt>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut results: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
    let mut under_way = JoinSet::new();
    let mut halt = None;
    let mut next = 0;
    loop {
        while halt.is_none() && next < count && under_way.len() < concurrency.max(1) {
            let (index, work) = (next, begin(next));
            under_way.spawn(async move { (index, work.await) });
            next += 1;
        }
        match under_way.join_next().await {
            None => break,
            Some(Ok((index, result))) => {
                halt = halt.or(after(index, &result));
                if halt.is_some() {
                    stop.stop();
                }
                results[index] = Some(result);
            }
            Some(Err(error)) => halt = halt.or(Some(Halt::Broken(error.to_string()))),
        }
    }
    match halt {
        Some(halt) => Err(halt),
        None => Ok(results.into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn results_keep_their_order_and_the_bound_holds() {
        let now = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let begin = |index: usize| {
            let (now, most) = (now.clone(), most.clone());
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                index
            }
        };
        let results = each(50, 4, &Stop::new(), begin, |_, _| None).await.unwrap();
        assert_eq!(results, (0..50).collect::<Vec<_>>());
        assert!(most.load(Ordering::SeqCst) <= 4);
    }

    #[tokio::test]
    async fn a_halt_begins_nothing_new() {
        let begun = Arc::new(AtomicUsize::new(0));
        let begin = |index: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            async move { index }
        };
        let stop = Stop::new();
        let halted = each(100, 2, &stop, begin, |index, _| (index == 3).then_some(Halt::Stopped)).await;
        assert!(stop.is_stopped());
        assert_eq!(halted, Err(Halt::Stopped));
        assert!(begun.load(Ordering::SeqCst) < 10);
    }
}
