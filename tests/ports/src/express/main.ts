import { createApp } from "./app.ts";

createApp(process.env["API_KEY"] ?? "").listen(Number(process.env["PORT"] ?? 8000));
