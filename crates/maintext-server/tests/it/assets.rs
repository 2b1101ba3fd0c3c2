//! Checks that the playground's built files match its sources.

mod in_node {
    use std::path::Path;
    use std::process::Command;

    #[test]
    #[ignore = "needs the npm packages of the playground"]
    fn the_built_files_are_current() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let playground = here.join("playground");
        let out = std::env::temp_dir().join(format!("maintext-assets-{}", std::process::id()));
        let status = Command::new("node").arg("build.mjs").arg(&out).current_dir(&playground).status().unwrap();
        assert!(status.success());
        let names: Vec<_> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), std::fs::read_dir(here.join("assets")).unwrap().count());
        for name in names {
            let built = std::fs::read(out.join(&name)).unwrap();
            let kept = std::fs::read(here.join("assets").join(&name)).unwrap_or_default();
            assert!(built == kept, "{}: run 'npm run build' in crates/maintext-server/playground", name.display());
        }
        std::fs::remove_dir_all(&out).unwrap();
    }
}
