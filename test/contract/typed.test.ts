import { expectTypeOf, test } from "vitest";
import type {
  ArrayTestType,
  Cart,
  ObjectTestType,
  ObjectTestTypeDraft,
  PagedQueryResult,
  UpdateRequest,
} from "../../src/contract/schemas.ts";
import type { BodyOf, PathOf, QueryOf, ResponseBodiesOf } from "../../src/contract/typed.ts";

test("the types of path parameters, query and body come from the operation table", () => {
  expectTypeOf<PathOf<"getResourceById">["id"]>().toEqualTypeOf<string>();
  expectTypeOf<keyof PathOf<"runComplexOperation">>().toEqualTypeOf<
    "projectKey" | "uriParameterOne" | "uriParameterTwo"
  >();
  expectTypeOf<QueryOf<"queryWithSortedParameters">["limit"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<QueryOf<"queryWithSortedParameters">["sort"]>().toEqualTypeOf<string[] | undefined>();
  expectTypeOf<QueryOf<"queryWithSortedParameters">["var.size"]>().toEqualTypeOf<string[] | undefined>();
  expectTypeOf<QueryOf<"searchResources">["text.en"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<QueryOf<"queryResources">["unionParameter"]>().toEqualTypeOf<
    string | number | ObjectTestType | undefined
  >();
  expectTypeOf<QueryOf<"getCart">["other"]>().toEqualTypeOf<unknown>();
  expectTypeOf<BodyOf<"createResource">>().toEqualTypeOf<ObjectTestTypeDraft>();
  expectTypeOf<BodyOf<"updateResource">>().toEqualTypeOf<UpdateRequest>();
  expectTypeOf<BodyOf<"uploadImage">>().toEqualTypeOf<Uint8Array>();
  expectTypeOf<BodyOf<"getCart">>().toEqualTypeOf<undefined>();
  expectTypeOf<BodyOf<"writeNamespaceAction">>().toEqualTypeOf<unknown>();
});

test("the types of response bodies come from the operation table, by status", () => {
  expectTypeOf<ResponseBodiesOf<"getResourceById">[200]>().toEqualTypeOf<ObjectTestType>();
  expectTypeOf<ResponseBodiesOf<"getCart">[200]>().toEqualTypeOf<Cart>();
  expectTypeOf<ResponseBodiesOf<"runComplexOperation">[203]>().toEqualTypeOf<ArrayTestType>();
  expectTypeOf<ResponseBodiesOf<"queryResources">[200]>().toEqualTypeOf<ArrayTestType | PagedQueryResult>();
  expectTypeOf<ResponseBodiesOf<"updateResource">[409]["statusCode"]>().toEqualTypeOf<number>();
  expectTypeOf<ResponseBodiesOf<"checkResourceExists">[404]>().toEqualTypeOf<never>();
  expectTypeOf<keyof ResponseBodiesOf<"getCart">>().toEqualTypeOf<
    200 | 400 | 401 | 403 | 404 | 429 | 500 | 503 | 507
  >();
  expectTypeOf<keyof ResponseBodiesOf<"createResource">>().toEqualTypeOf<
    201 | 400 | 401 | 403 | 413 | 415 | 429 | 500 | 503 | 507
  >();
});
