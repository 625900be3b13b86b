import { serve } from "@hono/node-server";
import { createApp } from "./app.ts";

serve({ fetch: createApp(process.env["API_KEY"] ?? "").fetch, port: Number(process.env["PORT"] ?? 8000) });
