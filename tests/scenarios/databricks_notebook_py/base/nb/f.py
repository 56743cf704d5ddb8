# Databricks notebook source
# MAGIC %sql
# MAGIC CREATE OR REPLACE TABLE shop.features.customer_features AS
# MAGIC SELECT customer_id, AVG(discount_pct) AS discount_sensitivity FROM shop.raw.orders GROUP BY 1
