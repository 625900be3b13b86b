import { booksApp } from "./books-app.test-fixture.ts";

const app = booksApp();
app.use(async (request, next) => (await next(request)).setHeader("x-pid", String(process.pid)));
await app.run();
