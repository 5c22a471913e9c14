#!/bin/sh
set -e
nephos --state-file seed log-group create /web/api --retention-in-days 30
nephos --state-file seed secret create db --secret-string hunter2 --query Name -o text
