import { createBooksApp } from "./app.ts";

await createBooksApp().run({ workers: 1 });
