import { createApp } from "./app.ts";

await createApp(process.env["API_KEY"] ?? "").listen({ port: Number(process.env["PORT"] ?? 8000) });
