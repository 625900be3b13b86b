import fastify from "fastify";

const app = fastify();
app.get("/", () => "hello");
await app.listen({ port: 0, host: "127.0.0.1" });
console.log("ready");
