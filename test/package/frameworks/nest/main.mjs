// Nest's decorators are functions, so this program needs no compiler.
import "reflect-metadata";
import { Controller, Get, Inject, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { MainClient } from "education-admin-sdk";

class Accounts {
  constructor(client) {
    this.client = client;
  }
  page() {
    return this.client.accounts.list({ per_page: 10 });
  }
}
Inject(MainClient)(Accounts, undefined, 0);
Get("accounts")(Accounts.prototype, "page", Object.getOwnPropertyDescriptor(Accounts.prototype, "page"));
Controller()(Accounts);

class School {}
Module({ controllers: [Accounts], providers: [{ provide: MainClient, useValue: new MainClient() }] })(School);

const app = await NestFactory.create(School, { logger: ["error"] });
await app.listen(process.env.PORT, "127.0.0.1");
