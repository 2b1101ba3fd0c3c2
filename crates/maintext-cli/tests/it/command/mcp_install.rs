//! `maintext mcp --install` in the home folder of a test.
use crate::command::{Folder, Run, command};
use std::fs;
use std::path::Path;
use std::process::Stdio;

fn install(home: &Path, args: &[&str]) -> Run {
    let mut command = command(&[&["mcp", "--install"], args].concat());
    let project = home.join("project");
    fs::create_dir_all(&project).unwrap();
    command.env("HOME", home).env("USERPROFILE", home).current_dir(project).stdin(Stdio::null());
    for name in ["XDG_CONFIG_HOME", "APPDATA", "CODEX_HOME"] {
        command.env_remove(name);
    }
    Run::from(command.output().unwrap())
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn an_entry_is_added_to_the_programs_that_are_there() {
    let home = Folder::new("mcp-install");
    let home = home.0.as_path();
    let nothing = install(home, &["--yes"]);
    assert_eq!(nothing.status, Some(1));
    assert!(
        nothing.stderr.contains("no agent program was found; name one of claude-desktop, claude-code"),
        "{}",
        nothing.stderr
    );

    let (cursor, codex) = (home.join(".cursor"), home.join(".codex"));
    fs::create_dir_all(&cursor).unwrap();
    fs::create_dir_all(&codex).unwrap();
    let old = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"z\": 1\n}\n";
    fs::write(cursor.join("mcp.json"), old).unwrap();
    let run = install(home, &["--yes", "--results", "text"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
    assert!(run.stderr.contains("cursor: changes ") && run.stderr.contains("codex: creates "), "{}", run.stderr);
    let new = json(&cursor.join("mcp.json"));
    assert_eq!((&new["mcpServers"]["other"]["command"], &new["z"]), (&"x".into(), &1.into()));
    let entry = &new["mcpServers"]["maintext"];
    assert_eq!(entry["args"], serde_json::json!(["mcp", "--results", "text"]));
    assert!(Path::new(entry["command"].as_str().unwrap()).is_file(), "{entry}");
    assert_eq!(fs::read_to_string(cursor.join("mcp.json.bak")).unwrap(), old);
    let toml = fs::read_to_string(codex.join("config.toml")).unwrap();
    assert!(toml.starts_with("[mcp_servers.maintext]\n"), "{toml}");
    // Again: there is nothing to do, and no second backup.
    let again = install(home, &["--yes", "--results", "text"]);
    assert!(again.status == Some(0) && again.stderr.matches("has this entry already").count() == 2, "{}", again.stderr);
    assert!(!cursor.join("mcp.json.bak1").exists());
    // Other flags change the entry, and the first backup stays.
    assert_eq!(install(home, &["cursor", "--yes"]).status, Some(0));
    assert_eq!(json(&cursor.join("mcp.json"))["mcpServers"]["maintext"]["args"], serde_json::json!(["mcp"]));
    assert!(cursor.join("mcp.json.bak1").exists() && fs::read_to_string(cursor.join("mcp.json.bak")).unwrap() == old);
}

#[test]
fn a_named_program_needs_no_folder_and_a_person_is_asked() {
    let home = Folder::new("mcp-install-named");
    let home = home.0.as_path();
    let refused = install(home, &["zed"]);
    assert!(refused.status == Some(2) && refused.stderr.contains("--yes writes without asking"), "{}", refused.stderr);
    assert_eq!(install(home, &["claude-code", "--yes"]).status, Some(0));
    assert!(json(&home.join("project/.mcp.json"))["mcpServers"]["maintext"]["command"].is_string());
    let wrong = install(home, &["emacs", "--yes"]);
    assert!(wrong.status == Some(2) && wrong.stderr.contains("gemini"), "{}", wrong.stderr);
    assert_eq!(Run::from(command(&["mcp", "--yes"]).output().unwrap()).status, Some(2));
}

#[test]
fn a_file_with_comments_stays_and_the_text_to_paste_is_shown() {
    let home = Folder::new("mcp-install-comments");
    let home = home.0.as_path();
    let file = home.join(".gemini/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
    fs::write(&file, old).unwrap();
    let run = install(home, &["gemini", "--yes"]);
    assert_eq!(run.status, Some(1));
    assert!(
        run.stderr.contains("settings.json: the file is not plain JSON (") && run.stderr.contains("line 2"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("Paste this") && run.stderr.contains("\"mcpServers\""), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), old);
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    fs::write(&file, b"\xff\xfe{").unwrap();
    assert!(install(home, &["gemini", "--yes"]).stderr.contains("not valid UTF-8"));
}
