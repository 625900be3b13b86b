import { createBooksApp } from "./app.ts";

await createBooksApp().run();
