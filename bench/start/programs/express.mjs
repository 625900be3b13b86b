import express from "express";

const app = express();
app.get("/", (_request, response) => void response.send("hello"));
app.listen(0, "127.0.0.1", () => console.log("ready"));
