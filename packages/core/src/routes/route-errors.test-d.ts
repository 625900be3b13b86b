import { App } from "../app.ts";
import type { ErrorStatus } from "../http/reason-phrase.ts";

const app = new App();
app.get("/", { errors: [401, 404, 409, 503] }, () => 1);

export const conflict: ErrorStatus = 409;

// @ts-expect-error 200 is not an error status
app.get("/", { errors: [200] }, () => 1);
// @ts-expect-error an unknown status
app.get("/", { errors: [499] }, () => 1);
// @ts-expect-error errors is a list
app.get("/", { errors: 409 }, () => 1);
