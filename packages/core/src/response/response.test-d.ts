import { Response } from "./response.ts";

const ours = new Response("x");

// The web's shape: code that accepts a web response accepts ours.
const web: Pick<
  globalThis.Response,
  "status" | "ok" | "body" | "json" | "text" | "bytes" | "arrayBuffer" | "url"
> = ours;
void web;
new globalThis.Headers([...ours.headers]);

ours.status = 201;
// @ts-expect-error a body's length follows from the body
ours.contentLength = 5;
// @ts-expect-error an object is not a body; Response.json sends it
new Response({ a: 1 });
// @ts-expect-error a word that browsers do not know
ours.setCookie("a", "1", { sameSite: "loose" });
// @ts-expect-error a misspelt option
Response.redirect("/a", { permanet: true });
// @ts-expect-error a file is opened first
const file: Response = Response.file("a.txt");
void file;
const handler = (): Promise<Response> => Response.sendFile("a.txt");
void handler;
