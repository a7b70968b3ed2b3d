"""Skins of culture, media and leisure: data only, in the format of `skins._parse`."""

SKINS = """
library | library | celt, rhine
orgs: Ashgrove Public Library, Bibliotheek De Linde, Carnmore Reading Rooms, Stadtbücherei Erlen,
 Quayside Library, The Lantern Library, Kilbride Books, Lesesaal West
places: the reading room, the returns desk, stack 5, the children's corner, the map room, the mobile
 van, local history, the reserve shelf
things: loan, borrower, branch, shelfmark, copy, reservation, fine, catalogue record, reading list,
 return
measures: loan period days 3 42, shelf occupancy % 31 99, fine amount EUR 0.2 28, gate count - 0
 1900, spine height mm 148 420, reservation queue - 0 64, reading room humidity % 34 62, renewal
 count - 0 7
events: overdue notice, lost copy, shelf check, branch transfer, reservation expiry, catalogue
 merge, damaged return, inter-library loan
stems: loans, borrowers, catalogue, shelf_check, reservations, fines, branch_transfers, acquisitions
dirs: loans, catalogue, branches, shelves, notices, acquisitions, members, periodicals
columns: barcode, branch, shelfmark, borrower_id, category, isbn, language, librarian
codes: BIB, CPY, BRW, SHF, RES, ILL, BRN, ACQ
jargon: shelfmark, accession number, weeding, authority record, ILL, colophon, finding aid, stack

game-studio | game studio | nippon, slav
orgs: Paper Crane Games, Lost Lantern Interactive, Kitsune Loop, Iron Teacup, Velvet Golem Studio,
 Mirek and Friends, Hollow Pixel, Nine Doors Software
places: the build farm, the QA room, the level team corner, the sound booth, the capture stage,
 server rack 2, the playtest lounge, the release channel
things: build, level, quest, save file, player session, crash report, shader, asset, patch note,
 leaderboard entry
measures: frame time ms 4 66, session length min 1 310, crash rate % 0 4.8, patch size MB 0.4 2800,
 matchmaking wait s 1 180, draw calls - 90 6200, memory peak MB 310 7900, input latency ms 12 140
events: soft lock, desync, crash on load, matchmaking timeout, build break, save corruption, hotfix,
 rollback
stems: crash_reports, session_log, quest_graph, build_matrix, loot_table, leaderboard,
 playtest_notes, asset_index
dirs: builds, crashes, levels, assets, telemetry, saves, shaders, playtests
columns: build_no, platform, player_id, level, quest_id, gpu, region, branch
codes: BLD, QST, LVL, CRS, PLR, AST, SES, BUG
jargon: hitbox, soft lock, nav mesh, draw call, tick rate, loot table, gold master, desync

museum | museum | iberia, rhine
orgs: Museu do Estaleiro, Haus der Uhren, Museo de la Sal, Kloosterzaal Museum, The Cabinet of Maps,
 Museo Marés, Textielkamer, Casa del Azulejo
places: gallery 5, the conservation studio, store B2, the loading dock, the print cabinet, the east
 wing, the quarantine room, vitrine 31
things: object, loan, exhibition, crate, condition report, donor, gallery, vitrine, label text,
 conservation treatment
measures: light exposure lux 12 320, relative humidity % 34 68, insured value EUR 200 940000, crate
 weight kg 3 410, object height mm 8 3900, vibration mm/s 0.1 9, visitor count - 0 2800, gallery
 temperature C 16 25
events: loan return, condition change, rehanging, courier delay, pest trap find, vitrine alarm,
 relabelling, deaccession
stems: object_register, loan_book, condition_reports, climate_log, crate_list, exhibition_plan,
 visitor_counts, insurance_values
dirs: objects, loans, conservation, climate, galleries, crates, labels, donors
columns: inventory_no, department, material, gallery, lender, condition, period, curator
codes: INV, LON, EXH, CRT, GAL, OBJ, DON, CON
jargon: provenance, accession, deaccession, condition report, vitrine, facsimile, patina, couriered
 loan

newsroom | newsroom | gaul, sahel
orgs: La Dépêche du Port, The Lagoon Courier, Le Quotidien des Lacs, Harbour Gazette, Accra Morning
 Post, Le Fil Régional, The Evening Ferry, Savane Info
places: the copy desk, the picture desk, newsroom floor 2, the late shift, the wire room, the
 archive desk, the print hall, the web team
things: article, correction, headline, source, photo, wire story, byline, edition, embargo, push
 alert
measures: word count - 90 4200, read time s 8 960, page views - 12 410000, scroll depth % 2 100,
 print run - 800 96000, comment count - 0 2400, time to publish min 2 680, image size kB 18 4900
events: embargo lift, late correction, retraction, breaking alert, double publication, dead link,
 picture swap, edition close
stems: article_index, wire_feed, corrections, page_views, picture_log, edition_plan, embargo_list,
 bylines
dirs: articles, wire, pictures, editions, corrections, analytics, drafts, archive
columns: story_id, desk, section, author, edition, agency, status, topic
codes: ART, WIR, PIC, EDN, COR, STY, EMB, DSK
jargon: slug, embargo, byline, standfirst, splash, wire copy, lede, spike

radio-station | radio station | celt, levant
orgs: Coastline 94, Radyo Köprü, Glen FM, Nur Community Radio, Harbour Wave, Tower Hill Radio, Ezgi
 101, The Late Dial
places: studio B, the master control, the transmitter hut, the record library, the news booth, OB
 van 1, the playout desk, the rack room
things: track, playlist, jingle, show, presenter, advert slot, transmitter, outage, news bulletin,
 phone-in
measures: loudness LUFS -34 -9, track length s 58 720, transmitter power W 90 5200, reflected power
 W 0 190, silence length s 0 45, listener count - 20 88000, stream bitrate kbit/s 32 320, mast
 temperature C -14 52
events: dead air, playlist gap, late bulletin, transmitter trip, jingle clash, stream drop, advert
 overrun, studio handover
stems: playout_log, playlist, advert_slots, loudness_report, transmitter_log, show_rota,
 royalty_sheet, stream_stats
dirs: playout, jingles, shows, adverts, transmitters, bulletins, royalties, streams
columns: cart_no, show, presenter, slot, track_id, label, transmitter, sponsor
codes: TRK, CRT, SHW, ADV, TXM, BUL, JNG, SLT
jargon: playout, dead air, segue, cart, loudness, RDS, traffic log, talkback

theatre | theatre | gaul, celt
orgs: Théâtre de la Verrière, The Corn Exchange Playhouse, Compagnie Lanterne, Black Curtain
 Theatre, Salle Molière-Sud, Wharf Street Stage, Théâtre du Pont, Unicorn Yard
places: stage left, the fly tower, wardrobe, the box office, rehearsal room 2, the lighting booth,
 the prop store, the orchestra pit
things: performance, cue, costume, seat, rehearsal, prop, fixture, ticket, understudy/understudies,
 scene
measures: fade time s 0 45, running time min 38 240, seats sold - 0 1180, lamp output % 0 100,
 batten load kg 5 480, sound level dB 38 104, scene length s 20 2600, ticket price EUR 6 120
events: missed cue, understudy call, curtain delay, lamp failure, costume repair, interval overrun,
 prop swap, refund
stems: cue_sheet, seat_plan, rehearsal_calls, costume_list, box_office, lighting_patch,
 prop_inventory, show_reports
dirs: cues, seating, rehearsals, wardrobe, props, lighting, sound, reports
columns: cue_no, scene, fixture, performer, seat, production, channel, price_band
codes: CUE, SEA, CST, PRP, LX, PRF, FLY, TKT
jargon: cue, blackout, prompt book, fly bar, gel, house lights, get-in, understudy

archive | archive | slav, gaul
orgs: Archiv Hradná, Dépôt des Chartes, Parchment House, Municipal Records of Varda, Fonds
 Saint-Rémy, The Deed Room, Spisy Collection, Archives du Fleuve
places: strongroom 3, the reading desk, the map cabinet, the scanning bench, repository B, the
 conservation table, box row 18, the intake dock
things: record, fonds/fonds, box/boxes, deed, microfilm reel, reader request, finding aid, scan,
 parish register, seal
measures: page count - 1 1400, shelf length m 0.2 96, scan resolution dpi 200 1200, paper pH - 3.9
 8.8, strongroom humidity % 28 61, retrieval time min 3 95, sheet width mm 82 1290, closure period
 years 5 110
events: misfiled box, reel rewind, closure review, reader request, transfer, water damage,
 renumbering, rescan
stems: box_list, reader_requests, scan_manifest, closure_dates, transfer_lists, finding_aid,
 reel_index, strongroom_climate
dirs: fonds, boxes, scans, requests, transfers, reels, registers, closures
columns: reference, fonds, box_no, creator, reader, shelf, access_status, series
codes: FND, BOX, REQ, REE, DEE, TRF, SER, SCN
jargon: fonds, finding aid, provenance, calendaring, respect des fonds, codicil, folio, accrual

chess-federation | chess federation | levant, desi
orgs: Northern Chess Union, Satranç Federation, Rook Lift League, Shatranj Circle, Open File
 Association, Deccan Chess Board, The Zugzwang Club, Bosphorus Chess
places: board 1, the arbiters' table, hall B, the analysis room, the pairing desk, the junior
 section, the livestream booth, the entrance lobby
things: game, player, pairing, tournament, arbiter, rating, forfeit, clock, tie-break, club
measures: rating - 800 2790, rating change - -42 42, clock time s 0 7200, move count - 4 196,
 performance rating - 620 2860, entry fee EUR 5 140, round length min 60 420, games played - 0 260
events: forfeit, time trouble, adjournment, pairing change, late entry, touch-move claim, tie-break,
 withdrawal
stems: pairings, standings, rating_list, game_scores, arbiter_report, entries, clock_log,
 club_register
dirs: rounds, games, ratings, players, clubs, arbiters, entries, results
columns: player_id, federation, round, board, title, opening, club, result
codes: PLY, RND, TRN, CLB, GME, ARB, RTG, BRD
jargon: Elo, Swiss pairing, Buchholz, adjournment, ECO code, norm, bye, zugzwang

lighthouse-trust | lighthouse trust | north, celt | held out
orgs: Skerry Lights Trust, Fyrvokter Society, Northern Beacons, Saint Ronan Lighthouses, Ytre Holme
 Fyr, Coastal Lamp Foundation, Gannet Rock Trust, The Keepers' Fund
places: Skerrymor light, the lens room, the boat landing, keeper's cottage 2, the fog horn shed,
 Ytre Holme, the battery house, the gallery rail
things: lamp, lens, buoy, keeper log, fog signal, boat trip, battery bank, guest booking, beacon,
 inspection
measures: light range nm 4 28, flash period s 1.5 30, battery voltage V 21 29, wave height m 0 11,
 visibility nm 0.1 24, lamp current A 0.4 16, visitor count - 0 140, horn pressure bar 2 9
events: lamp failure, fog signal start, storm closure, lens cleaning, battery swap, boat
 cancellation, buoy drift, paint inspection
stems: keeper_log, lamp_hours, flash_characters, battery_trace, boat_trips, guest_bookings,
 buoy_positions, inspections
dirs: lights, buoys, batteries, boats, guests, inspections, lenses, charts
columns: light_no, character, keeper, sector, buoy_id, boat, lens_order, status
codes: LGT, BUO, FOG, LNS, KPR, BAT, BCN, TRP
jargon: light character, Fresnel order, occulting, sector light, nautical mile, daymark, racon, loom

sculpture-park | sculpture park | iberia, han | held out
orgs: Parque das Formas, Stone Meadow Sculptures, Jardín de Hierro, Bronze Orchard, Shan Yuan
 Sculpture Park, Colina Abierta, The Standing Field, Lotus Terrace Park
places: the bronze walk, meadow plot 8, the foundry yard, the pond terrace, the visitor lodge, the
 north lawn, the crane pad, the birch circle
things: sculpture, plinth, artist, commission, patina check, guided tour, crane lift, loan,
 maquette, visitor
measures: mass kg 12 18400, height cm 22 1450, patina thickness um 4 120, plinth tilt deg 0 6, wind
 load N 20 9200, tour length min 20 150, ticket revenue EUR 0 8400, surface temperature C -8 61
events: crane lift, rust finding, plinth repair, tour cancellation, vandalism report, wax coat,
 relocation, loan pickup
stems: works_register, plinth_survey, tour_bookings, patina_checks, crane_plan, artist_contracts,
 visitor_gate, condition_photos
dirs: works, plinths, tours, artists, lifts, surveys, photos, loans
columns: work_no, artist, material, plot, plinth, guide, season, lender
codes: WRK, PLN, ART, TOU, CRN, PTN, PLT, MAQ
jargon: maquette, patina, armature, lost wax, plinth, weathering steel, edition proof, rigging plan

hostel-chain | hostel chain | sahel, iberia
orgs: Bunk and Compass, Casa Vagabunda, Palaver House Hostels, Dhow Inn, Sete Camas, The Loud
 Kettle, Teranga Rooms, Mochila Hostels
places: dorm 6, the front desk, the roof terrace, the laundry room, the luggage cage, Dakar house,
 the common kitchen, the annexe
things: bed, guest, booking, dormitory/dormitories, night, locker, city tax receipt, channel,
 no-show, housekeeping round
measures: nightly rate EUR 9 88, occupancy % 8 100, stay length nights 1 28, review score - 1.8 10,
 laundry load kg 2 14, check-in delay min 0 240, deposit EUR 0 60, water use L 40 3900
events: overbooking, late check-in, no-show, bed swap, channel mismatch, refund, key loss, early
 departure
stems: bookings, bed_plan, channel_feed, city_tax, guest_reviews, housekeeping, key_log, rate_sheet
dirs: bookings, houses, channels, reviews, taxes, housekeeping, rates, lockers
columns: booking_ref, house, bed, channel, guest_country, rate_plan, payment, locker_no
codes: BKG, BED, DRM, GST, KEY, TAX, HSE, CHN
jargon: channel manager, overbooking, rack rate, ADR, walk-in, city tax, bed night, stop-sell

ski-resort | ski resort | rhine, gaul
orgs: Les Trois Crêtes, Hochalm Lifts, Val Perdu Ski, Gletscherblick, Combe Blanche, Schneegrat
 Resort, Col du Renard, Nebelhorn Pistes
places: lift 4, the summit station, piste 12, the snow gun line, the rental shop, the valley gate,
 the patrol hut, the lower plateau
things: lift, piste, ski pass, groomer, snow gun, patrol call, chair, lesson, rental set, avalanche
 report
measures: snow depth cm 0 420, lift speed m/s 0.8 12, queue time min 0 48, slope angle deg 4 44,
 snow gun flow L/min 20 480, cable tension kN 80 410, skier count - 0 7200, air temperature C -31 12
events: wind closure, lift stop, avalanche blast, pass fraud, rescue call, grooming pass, snow gun
 freeze, lost child
stems: lift_counts, piste_status, pass_scans, snow_stakes, groomer_tracks, patrol_calls,
 rental_returns, wind_log
dirs: lifts, pistes, passes, snow, patrol, rentals, grooming, lessons
columns: lift_id, piste, pass_no, gate, instructor, groomer, pass_type, severity
codes: LFT, PST, PAS, GRM, SNW, PTL, GTE, RNT
jargon: piste, groomer, corduroy, snow stake, off-piste, detachable chair, bootpack, whiteout
"""
"""Blocks separated by one empty line."""
