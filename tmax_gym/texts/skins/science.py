"""Skins of science, medicine and crafts: data only, in the format of `skins._parse`."""

SKINS = """
observatory | observatory | nippon, andes
orgs: Cerro Alondra Observatory, Mount Kagari Station, Paranyo Survey, Hoshimi Ridge Telescope, Las
 Brisas Array, Tenku Observatory, Quebrada Seca Dome, North Polar Survey
places: the west dome, the instrument lab, the coude room, the mirror hangar, control room 2, the
 guest console, the spectrograph bench, the site ridge
things: exposure, target, spectrograph, guide star, observing block, flat field, detector,
 transient, plate, observing proposal
measures: seeing arcsec 0.4 3.8, airmass - 1 2.6, exposure time s 1 3600, sky brightness mag 17.5
 22.1, dome humidity % 8 92, mirror temperature C -9 21, guiding error arcsec 0.05 1.9, detector
 temperature K 78 168
events: guiding loss, dome closure, cosmic ray hit, target change, focus run, dithering, cloud
 interrupt, filter jam
stems: night_log, exposures, target_list, guiding_trace, seeing_monitor, flat_fields,
 calibration_index, proposal_queue
dirs: nights, raw, calib, targets, guiding, reduced, proposals, weather
columns: target_id, filter, instrument, observer, block, field, programme, detector
codes: OBJ, EXP, CAL, SPC, TGT, FLD, NGT, PRG
jargon: seeing, airmass, dithering, flat field, PSF, ephemeris, dark frame, occultation

chemistry-lab | chemistry lab | slav, desi
orgs: Reaktiv Laboratories, Indigo Bench Analytics, Lazar Institute of Chemistry, Blue Flask Assays,
 Sutra Synthesis, Krystal Analytics, Halide Research, Vayu Chemical Testing
places: bench 6, fume hood 3, the balance room, NMR bay, the solvent store, glovebox B, the HPLC
 corner, the cold trap shelf
things: assay, reagent, sample vial, titration, chromatogram, standard, solvent, reaction, lot, fume
 hood
measures: retention time min 0.8 34, concentration mmol/L 0.02 250, melting point C 22 310,
 absorbance AU 0.01 3.2, yield % 4 98, reaction temperature C -78 180, sample mass mg 0.5 950, water
 content ppm 8 4200
events: baseline drift, column change, failed standard, reagent expiry, spill, recalibration,
 crystallisation, pump pulse
stems: assay_results, reagent_stock, peak_table, titrations, sample_queue, balance_log,
 lot_certificates, method_notes
dirs: assays, spectra, reagents, methods, samples, runs, certificates, waste
columns: sample_id, method, analyst, lot_no, solvent, column_serial, hood, replicate
codes: SMP, LOT, RGT, HPL, NMR, ASY, STD, VIA
jargon: aliquot, titrant, elution, eluent, blank run, retention time, LOD, reflux

aquarium | aquarium | iberia, nippon
orgs: Oceanário da Barra, Kaiyo Tank House, Ría Azul Aquarium, Tidepool Hall, Umi no Mado, Coral
 Row, Acuario del Faro, Blue Gallery
places: the kelp tank, quarantine 2, the touch pool, the pump room, the jellyfish gallery, the reef
 hall, the penguin ledge, filter bank C
things: tank, species, feeding, filter, water test, exhibit, quarantine case, pump, diver shift, ray
measures: salinity psu 4 38, water temperature C 3 28, nitrate mg/L 0.5 60, dissolved oxygen mg/L
 4.2 11, pH - 7.4 8.5, flow rate L/min 20 2400, light level lux 5 900, redox mV 180 420
events: filter backwash, feeding refusal, algae bloom, tank transfer, quarantine release, pump trip,
 water change, egg laying
stems: tank_readings, feeding_chart, species_list, water_tests, filter_cycles, quarantine_log,
 diver_rota, pump_hours
dirs: tanks, feeding, quarantine, filters, species, divers, water, exhibits
columns: tank_id, species, keeper, food, exhibit, test_kit, pump_id, tag
codes: TNK, SPC, QRN, FLT, PMP, EXH, DIV, FD
jargon: protein skimmer, cycling, brackish, sump, redox, hard water, live rock, biofilter

seed-bank | seed bank | sahel, north
orgs: Kasama Seed Bank, Fjellhvelv Genebank, Acacia Vault, Savanna Germplasm Trust, Nordfrø
 Collection, Sahel Crop Heritage, Permafrost Seeds, Baobab Conservancy
places: vault C, drying room 1, the germination bench, the accession desk, regeneration plot 4, cold
 aisle 9, the sorting lab, the field station
things: accession, seed lot, germination test, collector, foil packet, taxon/taxa, drying cycle,
 regeneration plot, herbarium sheet, loan
measures: moisture content % 3 14, germination rate % 2 100, storage temperature C -22 6, thousand
 seed weight g 0.08 420, relative humidity % 9 48, packet mass g 0.4 380, viability half-life years
 3 190, drying time days 4 70
events: regeneration, failed germination, duplicate shipment, dormancy break, packet split,
 accession merge, vault alarm, collection trip
stems: accessions, germination_tests, vault_index, collector_notes, packet_weights, drying_log,
 duplicates, taxonomy
dirs: accessions, vault, tests, taxa, collectors, loans, drying, maps
columns: accession_no, taxon, origin, collector, shelf, packet_id, donor, status
codes: ACC, PKT, VLT, COL, GRM, TAX, REG, DUP
jargon: accession, orthodox seed, dormancy, viability, passport data, landrace, scarification,
 germplasm

weather-service | weather service | rhine, levant
orgs: Oostkust Meteo, Barometer House, Rüzgar Weather Service, Delta Forecasts, Wolkenwacht, Stratus
 Bureau, Cumulo Regional, Mistral Watch
places: station 214, the radar hill, the forecast desk, buoy 9, the launch pad, the harbour gauge,
 the airfield mast, the data hall
things: station, observation, radiosonde, forecast, radar sweep, rain gauge, warning, buoy,
 lightning strike, grid cell
measures: air temperature C -28 44, dew point C -31 27, pressure hPa 962 1044, rainfall mm 0 96,
 wind gust m/s 0 51, visibility m 40 50000, cloud base ft 100 25000, snow depth cm 0 210
events: cold front, station outage, hail report, gauge overflow, sonde loss, late report, fog
 warning, wind shear
stems: observations, station_list, sonde_profile, radar_sweeps, warnings, gauge_totals,
 forecast_scores, lightning
dirs: stations, radar, soundings, warnings, gauges, models, buoys, climatology
columns: station_id, parameter, sensor, quality_flag, region, forecaster, warning_level, source
codes: STN, SYN, MET, BUY, RDR, SND, WRN, GRD
jargon: METAR, isobar, sounding, nowcast, lapse rate, trough, dew point, quality flag

botanical-garden | botanical garden | desi, gaul
orgs: Jardin des Fougères, Lalbara Gardens, Orchid Hill Conservatory, Parc Botanique d'Hautmont,
 Neem Walk Garden, Serre Sainte-Marthe, Palm Court Gardens, Malabar Arboretum
places: the fern house, bed 23, the alpine terrace, nursery tunnel 2, the palm house, the arboretum
 edge, the potting shed, the lily pond
things: plant, bed, greenhouse, label, cutting, specimen, watering round, genus/genera, pest
 sighting, volunteer
measures: soil moisture % 6 58, leaf temperature C 4 41, canopy height cm 2 2600, soil pH - 4.1 8.3,
 light integral mol/m2 2 52, irrigation L 1 480, trunk girth cm 3 410, greenhouse humidity % 34 97
events: repotting, frost damage, flowering, relabelling, aphid outbreak, grafting, watering fault,
 plant loss
stems: plant_register, bed_map, watering_plan, label_queue, phenology, pest_sightings,
 nursery_stock, volunteer_hours
dirs: beds, nursery, labels, watering, phenology, pests, herbarium, events
columns: plant_id, taxon, bed, provenance, gardener, label_no, sensor, house
codes: BED, PLT, NUR, LBL, HRB, GLS, IRR, TAX
jargon: phenology, cultivar, provenance, hardening off, mulch, propagation, hardiness zone, type
 specimen

planetarium | planetarium | levant, celt | held out
orgs: Star Dome Carrick, Kubbe Planetarium, Zenith Hall, Orrery House, Ursa Theatre of Stars, Göksel
 Dome, Lough Meridian Planetarium, Tycho Rooms
places: the main dome, the projector pit, the cove light rail, the ticket desk, the workshop, school
 room 2, the control booth, seat block D
things: show, projector, star ball, dome tile, school visit, seat, playlist, lens, narration track,
 planet model
measures: projector lamp hours h 0 2400, dome luminance cd/m2 0.01 3.4, show length min 12 75,
 attendance - 0 264, lamp temperature C 24 96, audio level dB 42 94, frame time ms 8 41, dome tilt
 deg 0 23
events: lamp change, lens alignment, show restart, double booking, frame drop, school cancellation,
 dome cleaning, colour drift
stems: show_schedule, lamp_hours, seat_sales, school_visits, playlist, alignment_log, frame_times,
 narration_cues
dirs: shows, lamps, schools, audio, domes, tickets, cues, models
columns: show_id, projector, presenter, school, seat_block, language, lamp_serial, cue_no
codes: SHW, LMP, DOM, SCH, CUE, PRJ, SEA, TRK
jargon: fulldome, star ball, cove light, zenith, sidereal time, cue sheet, edge blending, parsec

film-lab | film lab | nippon, gaul
orgs: Atelier Nitrate, Genzo Film Works, Laboratoire du Canal, Silver Halide Rooms, Kage Photo Lab,
 La Chambre Rouge, Perf and Frame, Bain d'Arrêt
places: darkroom 2, the scanner bay, the drying cabinet, the counter, the chemical store, the
 cutting table, the negative vault, the grading suite
things: roll, negative, scan, order, contact sheet, developer bath, reel, splice, print, customer
 envelope
measures: developer temperature C 18 39, agitation rate rpm 2 60, density D 0.08 3.1, scan
 resolution dpi 1200 9600, bath age rolls 0 190, exposure offset EV -3 3, drying time min 18 120,
 replenishment mL 5 900
events: push processing, torn perforation, bath exhaustion, rescan, wrong ISO, light leak, rush
 order, splice failure
stems: roll_intake, bath_log, scan_queue, density_strips, order_book, splice_list, grading_notes,
 chemistry_stock
dirs: rolls, scans, baths, orders, reels, strips, grading, vault
columns: roll_no, film_stock, format, process, technician, scanner, order_ref, push_stops
codes: ROL, NEG, SCN, REL, ENV, BTH, PRT, SPL
jargon: push processing, stop bath, fixer, C-41, contact sheet, perforation, grain, latent image

blood-bank | blood bank | sahel, slav
orgs: Regional Blood Centre Morava, Baraka Donor Service, Red Vial Trust, Lifeline Transfusions,
 Korle Blood Bank, Dunaj Plasma Centre, Second Pint, Ubuntu Haemotherapy
places: donor room 2, the crossmatch bench, the platelet incubator, cold room A, mobile unit 5, the
 issue desk, the quarantine shelf, the processing hall
things: donation, donor, unit, crossmatch/crossmatches, antibody screen, platelet pool, cold
 box/cold boxes, recall, session, hospital order
measures: haemoglobin g/L 98 182, bag volume mL 210 510, storage temperature C 1 24, donation time
 min 4 19, platelet count G/L 90 420, shelf life left days 0 42, centrifuge speed rpm 900 4200, box
 temperature C -1 12
events: deferral, positive screen, cold chain breach, expiry, unit recall, emergency issue,
 mislabelling, short draw
stems: donations, unit_stock, crossmatches, cold_chain, donor_sessions, deferrals, expiry_list,
 hospital_orders
dirs: donors, units, screening, issue, coldchain, sessions, recalls, orders
columns: unit_no, blood_group, donor_ref, session, component, hospital, fridge, screen_result
codes: UNT, DNR, XM, SES, CBX, PLT, RCL, HSP
jargon: apheresis, crossmatch, deferral, leucodepletion, Rh factor, quarantine, buffy coat, cold
 chain

apiary | apiary | slav, iberia | held out
orgs: Lipa Honey, Colmenar del Río, Heather Loft Bees, Pčela Cooperative, Abelha Mansa, Linden Row
 Apiaries, Sierra Miel, Three Hive Society
places: stand 4, the heather site, the extraction room, the orchard edge, the roof garden, the queen
 yard, the lower valley, bee house B
things: hive, colony, queen, frame, swarm, honey jar, inspection, super, brood count, nectar flow
measures: hive weight kg 12 78, brood temperature C 29 37, honey moisture % 15.5 21, mite count - 0
 64, forager count - 0 3200, frame coverage % 0 100, sugar feed L 0.2 9, sound pitch Hz 180 480
events: swarming, requeening, mite treatment, robbing, honey harvest, queen loss, winter feeding,
 hive move
stems: hive_weights, inspections, queen_register, mite_counts, harvest_book, swarm_calls,
 brood_temps, feeding_log
dirs: hives, queens, inspections, harvest, mites, sites, feeding, jars
columns: hive_no, queen_mark, site, keeper, frame_type, treatment, floral_source, strain
codes: HIV, QN, API, FRM, JAR, SWM, STD, MTE
jargon: super, brood, propolis, varroa, nuc, supersedure, capped honey, waggle

glassworks | glassworks | slav, north | held out
orgs: Sklo Vltava, Ember Isle Glass, Huta Zielona, Nordglød, Cullet and Cane, Křišťál Works,
 Blåsehytta, Furnace Street Glass
places: furnace 2, annealing lehr B, the cold shop, the batch house, the cutting bench, the blowing
 floor, the mould store, the packing room
things: melt, furnace, mould, annealing cycle, goblet, cullet load, pane, gather, defect, kiln
measures: furnace temperature C 980 1560, annealing time h 2 36, wall thickness mm 0.8 22,
 refractive index - 1.49 1.72, viscosity dPas 2.1 8.4, bubble count - 0 55, cullet share % 0 82,
 stress nm/cm 1 120
events: stone inclusion, mould change, thermal shock, batch charge, colour change, crucible leak,
 lehr stop, chipping
stems: melt_book, lehr_curves, defect_tally, mould_list, batch_recipes, furnace_trace,
 cutting_orders, cullet_stock
dirs: melts, lehr, moulds, defects, batches, orders, furnaces, cutting
columns: melt_no, glass_type, mould_id, blower, lehr, colour, defect_kind, piece_no
codes: MLT, MLD, LHR, KLN, PNE, CUL, GBL, DEF
jargon: annealing, cullet, lehr, parison, gather, frit, devitrification, batch charge

quarry | quarry | celt, andes
orgs: Penrhos Stone, Cantera Blanca, Slieve Granite, Mina Piedra Clara, Blackstone Aggregates, Cairn
 Hollow, Áridos del Maipo, Dunmore Slate
places: bench 3, the primary crusher, the weighbridge, north face, the settling pond, the screen
 house, stockpile 7, the magazine
things: blast, truck, stockpile, bench, drill hole, crusher, weighbridge ticket, conveyor, dust
 sample, face survey
measures: load t 4 62, hole depth m 3 21, charge mass kg 12 190, ground vibration mm/s 0.2 14, dust
 PM10 ug/m3 8 310, crusher current A 40 380, moisture % 0.4 9, particle size mm 0.5 180
events: misfire, crusher jam, belt tear, blast delay, overload, dust alarm, face collapse, screen
 blinding
stems: blast_plan, weighbridge, stockpile_survey, crusher_trace, drill_log, dust_samples,
 truck_trips, vibration
dirs: blasts, weighbridge, crushers, surveys, trucks, dust, drilling, stock
columns: ticket_no, truck_reg, product, bench, hole_no, haulier, customer, face
codes: BLS, TKT, TRK, CRS, STK, DRL, BNC, CNV
jargon: overburden, burden, stemming, powder factor, fines, scalping, berm, bench height
"""
"""Blocks separated by one empty line."""
