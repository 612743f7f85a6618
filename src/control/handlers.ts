import { getClock, setClock } from "./clock.ts";
import type { Handler, ProjectHandler } from "./control.ts";
import { getCoverage, getProjectCoverage } from "./coverage.ts";
import { getDashboard } from "./dashboard.ts";
import { streamEvents, streamProjectEvents } from "./events.ts";
import { listImages, readImage } from "./images.ts";
import type { ServerOperationId } from "./operations.ts";
import type { ProjectOperationId } from "./project-operations.ts";
import { closeProject, getProject, listProjects, resetAll, resetProject } from "./projects.ts";
import { setProviderState } from "./provider-states.ts";
import { clearRequests, listRequests, readRequest, verifyRequests, waitForMatch, waitForRequests } from "./requests.ts";
import { addResources, listResources, readResource, removeResource, writeResource } from "./resources.ts";
import {
  addRule,
  clearRules,
  listActiveScenarios,
  listRules,
  listScenarios,
  removeRule,
  turnOff,
  turnOffForAll,
  turnOn,
  turnOnForAll,
} from "./scenarios.ts";
import { getContract, getControlApi, getHealth } from "./server.ts";
import { changeSettings, getSettings } from "./settings.ts";
import { deleteSnapshot, listSnapshots, restoreSnapshot, takeSnapshot } from "./snapshots.ts";
import { exportState, replaceState } from "./state.ts";
import { issueToken, revokeToken } from "./tokens.ts";

/** What each operation does that belongs to no project. */
export const serverHandlers: Readonly<Record<ServerOperationId, Handler>> = {
  getHealth,
  getDashboard,
  getContract,
  getControlApi,
  resetAll,
  getCoverage,
  streamEvents,
  listScenarios,
  turnOnForAll,
  turnOffForAll,
  listProjects,
  getProject,
  closeProject,
  resetProject,
  streamProjectEvents,
  setProviderState,
};

/** What each operation does within a project. */
export const projectHandlers: Readonly<Record<ProjectOperationId, ProjectHandler>> = {
  exportState,
  replaceState,
  listResources,
  addResources,
  readResource,
  writeResource,
  removeResource,
  listImages,
  readImage,
  listSnapshots,
  takeSnapshot,
  restoreSnapshot,
  deleteSnapshot,
  listActiveScenarios,
  turnOn,
  turnOff,
  listRules,
  addRule,
  clearRules,
  removeRule,
  getSettings,
  changeSettings,
  getClock,
  setClock,
  issueToken,
  revokeToken,
  listRequests,
  clearRequests,
  readRequest,
  verifyRequests,
  waitForRequests,
  waitForMatch,
  getProjectCoverage,
};
