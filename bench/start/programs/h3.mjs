import { H3, serve } from "h3";

const app = new H3();
app.get("/", () => "hello");
const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true });
await server.ready();
console.log("ready");
