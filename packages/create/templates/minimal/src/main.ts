import { createApp } from "./app.ts";

await createApp().run();
