use super::*;
use maintext_corpus::inputs::InputOptions;

/// A past bug: the reader waited without end for a thread that had panicked.
#[test]
fn a_panic_in_the_writing_thread_ends_the_run() {
    let folder = std::env::temp_dir().join(format!("maintext-panic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, out) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    std::fs::write(&input, "{\"html\": \"<p>Some words.\"}\n".repeat(2000)).unwrap();
    let inputs = Inputs::new(&[input.to_str().unwrap().to_owned()], InputOptions::default()).unwrap();
    let job = Job {
        inputs,
        target: Target::new(out.to_str().unwrap(), None).unwrap(),
        columns: Columns::select(&["id", "text"], Rows::Pages).unwrap(),
        options: Options::default(),
        filter: Filter::default(),
        sites: false,
        dedup: None,
        errors: None,
        dump: None,
        tokenizer: None,
        chunks: None,
        threads: 2,
        limit: None,
        max_size: 1 << 20,
        row_group: 1000,
        fetch: FetchOptions::default(),
        render: UseBrowser::Never,
        browser: BrowserOptions::default(),
        checkpoint: Duration::from_secs(60),
        crashes: 2,
        restart: false,
    };
    let mut pages = 0;
    let ended = run(&job, &mut |progress| {
        pages = progress.totals.pages;
        ControlFlow::Break(())
    });
    assert!(matches!(ended, Err(Failure::Stopped(_))) && pages == 1, "{ended:?} after {pages} pages");
    let panicked = guard::catch(|| run(&job, &mut |_| panic!("nothing can be shown")).is_ok());
    assert!(panicked.is_err(), "{panicked:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
