//! `pagerace mcp`: the commands as tools of the Model Context Protocol
//! (<https://modelcontextprotocol.io>), over standard input and output.
//!
//! Each call runs a command of this program, and its result is what the command prints and its JSON.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result};
use clap::Parser;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value, json};

const EXAMPLES: &str = "\
Tools: record, explain, advise and race. The same call gives the same answer on any machine.

Example:
  pagerace mcp
      what an agent's configuration names as the command of a server over stdio";

/// Answer programs that speak the Model Context Protocol.
#[derive(Debug, Parser)]
#[command(name = "mcp", after_long_help = EXAMPLES)]
pub(crate) struct McpArgs {}

/// An argument of a tool: its name, which is an option's unless it is the first, and its meaning.
type Argument = (&'static str, &'static str);

/// A command as a tool.
struct Offer {
    name: &'static str,
    summary: &'static str,
    /// The subject of the command, then its options.
    arguments: &'static [Argument],
    /// The number of arguments that are required.
    required: usize,
    /// True if the command's JSON is short enough for an answer.
    has_json: bool,
}

const PAGE: Argument = (
    "page",
    "Recording of the page, as the tool record writes it, or a HAR",
);
const NETWORK: Argument = (
    "network",
    "Networks by name (slow-4g, fast-4g, cable, ..) or as \"rate 2mbit rtt 100ms\", with commas between",
);
const METRIC: Argument = (
    "metric",
    "ttfb, fcp, lcp, speed-index or onload; lcp by default",
);
const PROTOCOL: Argument = (
    "protocol",
    "Versions of HTTP: h1, h2, h3, with commas between",
);

const OFFERS: [Offer; 4] = [
    Offer {
        name: "record",
        summary: "Records a page in Chromium, for the other tools",
        arguments: &[
            ("url", "The URL of the page"),
            ("output", "The file of the recording, such as site.page.gz"),
        ],
        required: 2,
        has_json: false,
    },
    Offer {
        name: "explain",
        summary: "Tells what a metric of a page waits for, along its critical path",
        arguments: &[PAGE, NETWORK, METRIC],
        required: 1,
        has_json: true,
    },
    Offer {
        name: "advise",
        summary: "Tells what to change about a page, what that gains, with ranges, and the lines to \
                  paste",
        arguments: &[
            PAGE,
            NETWORK,
            METRIC,
            (
                "users",
                "CSV file of users, or a mix: crux, crux-desktop, crux-mobile",
            ),
        ],
        required: 1,
        has_json: true,
    },
    Offer {
        name: "race",
        summary: "Compares versions of HTTP, orders of responses or changes of a page, each in many \
                  worlds",
        arguments: &[
            PAGE,
            NETWORK,
            METRIC,
            PROTOCOL,
            (
                "strategy",
                "Orders of responses: eps, sequential, fifo, .., with commas between",
            ),
            (
                "change",
                "Changes of the page, such as \"preload */hero.jpg\"; several with `;` between",
            ),
            ("json", "A file for all values as JSON"),
        ],
        required: 1,
        has_json: false,
    },
];

pub(crate) fn run(_: &McpArgs) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let server = Commands.serve(rmcp::transport::stdio()).await;
        let server = server.context("the client of the Model Context Protocol")?;
        server.waiting().await?;
        Ok(())
    })
}

impl Offer {
    fn tool(&self) -> Tool {
        let properties = self.arguments.iter().map(|(name, help)| {
            let property = json!({ "type": "string", "description": help });
            ((*name).to_owned(), property)
        });
        let properties: Map<String, Value> = properties.collect();
        let required = self.arguments[..self.required].iter();
        let required: Vec<&str> = required.map(|(name, _)| *name).collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let Value::Object(schema) = schema else {
            unreachable!("it is an object");
        };
        Tool::new(self.name, self.summary, Arc::new(schema))
    }

    /// Returns the words of the command.
    ///
    /// # Errors
    /// The argument that is missing, unknown or no text.
    fn words(&self, given: &Map<String, Value>) -> Result<Vec<String>, String> {
        let known = |name: &String| self.arguments.iter().any(|(known, _)| known == name);
        if let Some(name) = given.keys().find(|name| !known(name)) {
            let names: Vec<&str> = self.arguments.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "{}: there is no argument {name}; use {}",
                self.name,
                names.join(", ")
            ));
        }
        let text = |name: &str| match given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(format!("{}: {name} is {other}, expected a text", self.name)),
        };
        let mut words = vec![self.name.to_owned(), "--no-progress".to_owned()];
        let (first, others) = self.arguments.split_first().expect("there is one");
        for (name, _) in others {
            words.extend(text(name)?.map(|value| format!("--{name}={value}")));
        }
        let subject = text(first.0)?.ok_or_else(|| format!("{}: lacks {}", self.name, first.0))?;
        // The subject is no option, even with a dash in front.
        words.extend(["--".to_owned(), subject]);
        Ok(words)
    }

    /// Runs the command, and returns what it prints and its JSON.
    ///
    /// # Errors
    /// The error that the command prints.
    fn call(&self, given: &Map<String, Value>) -> Result<Vec<String>, String> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let mut words = self.words(given)?;
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        let name = format!("pagerace-mcp-{}-{number}.json", std::process::id());
        let file = std::env::temp_dir().join(name);
        if self.has_json {
            words.insert(1, format!("--json={}", file.display()));
        }
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new(program)
            .args(&words)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let json = std::fs::read_to_string(&file);
        let _ = std::fs::remove_file(&file);
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        // The file is this program's own, and gone.
        let told = format!("Wrote {}\n", file.display());
        let text = String::from_utf8_lossy(&output.stdout).replace(&told, "");
        let mut parts = vec![text];
        if self.has_json {
            parts.push(json.map_err(|error| error.to_string())?);
        }
        Ok(parts)
    }
}

/// The commands, as a server.
struct Commands;

impl ServerHandler for Commands {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("pagerace", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "Record a page once; then explain what it waits for, advise what to change, and \
                 race the changes. Results are simulated, and repeat.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            OFFERS.iter().map(Offer::tool).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(offer) = OFFERS.iter().find(|offer| offer.name == request.name) else {
            let text = format!("there is no tool {}", request.name);
            return Err(ErrorData::invalid_params(text, None));
        };
        let given = request.arguments.unwrap_or_default();
        let done = tokio::task::spawn_blocking(move || offer.call(&given)).await;
        let done = done.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let result = match done {
            Ok(parts) => {
                CallToolResult::success(parts.into_iter().map(ContentBlock::text).collect())
            }
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(result.into())
    }
}
