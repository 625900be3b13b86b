// npm run token -- ann editor: prints a token for Ann, an editor, that is valid for an hour.
import { JwtAuth } from "@framework/auth";
import { readSettings } from "./settings.ts";

const [sub = "ann", ...roles] = process.argv.slice(2);
const auth = new JwtAuth({ secret: readSettings().authSecret.reveal() });
console.log(await auth.createToken({ sub, roles }));
