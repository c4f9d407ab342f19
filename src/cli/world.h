// world.h - what heed world --check prints.
#ifndef HEED_CLI_WORLD_H
#define HEED_CLI_WORLD_H

#include "base/json.h"
#include "world/check.h"

void world_check_print(const WorldCheck *check);
void world_check_json(const WorldCheck *check, JsonWriter *w);

#endif
