//! The server of the Model Context Protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Sandbox, small_har};

/// Sends these requests one by one, and returns the result or error of each.
fn converse(sandbox: &Sandbox, requests: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pagerace"))
        .arg("mcp")
        .current_dir(sandbox.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let begin = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    });
    let mut ask = |request: &Value| -> Value {
        writeln!(input, "{request}").expect("it reads");
        if request.get("id").is_none() {
            return Value::Null;
        }
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("JSON")
    };
    let hello = ask(&begin);
    assert_eq!(hello["result"]["serverInfo"]["name"], "pagerace", "{hello}");
    ask(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let answers = requests.iter().map(&mut ask).collect();
    drop(input);
    assert!(child.wait().expect("it ends").success());
    answers
}

fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    })
}

#[test]
fn tools_answer_as_the_commands_do() {
    let sandbox = Sandbox::new("mcp");
    sandbox.write("site.har", &small_har());
    let question = json!({"page": "site.har", "network": "slow-4g"});
    let answers = converse(
        &sandbox,
        &[
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
            call(2, "advise", &question),
            call(3, "advise", &question),
            call(4, "explain", &question),
            call(5, "race", &json!({"page": "absent.har"})),
            call(
                6,
                "advise",
                &json!({"page": "site.har", "networks": "cable"}),
            ),
            call(7, "guess", &question),
        ],
    );
    let tools = answers[0]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["record", "explain", "advise", "race"]);
    let text = |answer: &Value, place: usize| -> String {
        let content = &answer["result"]["content"][place]["text"];
        content
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    };
    assert_eq!(text(&answers[1], 0), text(&answers[2], 0), "it repeats");
    let run = sandbox.run(&["advise", "site.har", "-n", "slow-4g"]);
    assert!(text(&answers[1], 0).starts_with(&run.out));
    let json: Value = serde_json::from_str(&text(&answers[1], 1)).unwrap();
    assert_eq!(json["format"], "pagerace-advice");
    assert!(serde_json::from_str::<Value>(&text(&answers[3], 1)).is_ok());
    assert_eq!(answers[4]["result"]["isError"], true);
    assert!(text(&answers[4], 0).contains("absent.har"));
    assert!(text(&answers[5], 0).contains("there is no argument networks"));
    assert!(
        answers[6]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("guess")
    );
}
