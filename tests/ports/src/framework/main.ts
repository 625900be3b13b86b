import { createApp } from "./app.ts";

await createApp(process.env["API_KEY"] ?? "").run();
