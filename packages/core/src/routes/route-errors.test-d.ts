import { App } from "../app.ts";
import type { ErrorStatus } from "../http/reason-phrase.ts";

const app = new App();
app.get("/", { errors: [401, 404, 409, 503] }, () => 1);

export const conflict: ErrorStatus = 409;

// @ts-expect-error a success is not an error
app.get("/", { errors: [200] }, () => 1);
// @ts-expect-error there is no such status
app.get("/", { errors: [499] }, () => 1);
// @ts-expect-error a list
app.get("/", { errors: 409 }, () => 1);
