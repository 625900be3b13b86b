import { booksApp } from "./books-app.test-fixture.ts";

await booksApp().run();
