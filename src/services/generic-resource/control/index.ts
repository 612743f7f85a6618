import type { Controls, ServiceControls } from "../../../control/index.ts";
import { Image, ImageDraft } from "./image-operations.ts";
import { NamespaceAction, providerStates, StoredNamespaceAction } from "./namespace-action.ts";
import { ImageDocument, stateForm } from "./state-form.ts";
import { subjects } from "./subjects.ts";

/**
 * What the service adds to the control API: the images and the body of the custom action, a provider state, and the form of
 * a whole state. Loads on demand.
 */
export const controls = {
  subjects,
  providerStates,
  stateForm,
  tags: { images: "The images of a project." },
  schemas: { Image, ImageDocument, ImageDraft, NamespaceAction, StoredNamespaceAction },
} satisfies Controls & Pick<ServiceControls, "subjects">;
