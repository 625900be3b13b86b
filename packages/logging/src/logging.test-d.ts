import { createWriteStream } from "node:fs";
import { App } from "@framework/core";
import { pino } from "pino";
import { type LogDestination, logging, LoggingConfig, logOf } from "./index.ts";

const app = new (App.with(logging))();

app
  .enableLogging()
  .enableLogging({ format: "json", level: "warn", logHeaders: ["accept"], destination: process.stderr })
  .enableLogging(LoggingConfig.of({ logBody: true }))
  .get("/", (request) => logOf(request).info("seen", { at: 1 }));

app.log().child({ job: "nightly" }).debug("begun");

const lines: string[] = [];
({ write: (text) => lines.push(text) }) satisfies LogDestination;
createWriteStream("app.log") satisfies LogDestination;
pino.destination("app.log") satisfies LogDestination;
pino.transport({ target: "pino/file" }) satisfies LogDestination;

// @ts-expect-error the method exists only if the feature is composed
new App().enableLogging();

// @ts-expect-error a misspelt option is found by the compiler
app.enableLogging({ excludepaths: ["/x"] });

// @ts-expect-error levels are words
app.enableLogging({ level: "loud" });

// @ts-expect-error the message is the first argument
app.log().info({ title: "Emma" }, "book added");
